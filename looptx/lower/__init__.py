"""From loop trees and statements to one typed tree: types, ranges, exceptions."""
