"""The lengths of the shortest paths between all pairs of a graph's nodes."""


# looptx: cut j k k+1 | cut i k k+1
def floyd_warshall(path):
    n = path.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                path[i, j] = min(path[i, j], path[i, k] + path[k, j])
