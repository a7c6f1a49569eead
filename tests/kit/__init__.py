"""What the tests share: nests executed, values that record, programs carried out."""
