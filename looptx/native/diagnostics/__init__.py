"""What users are told: warnings, notes, errors as records, reports of faults."""
