"""The functions of the user that kernels call, as the model has them."""
