# The worked figures of linear algebra.
$ printf '1,7\n2,-4\n' > a.csv; samara matrix det a.csv
-18
$ printf '2,3,7\n-3,4,0\n1,-1,6\n' > b.csv; samara matrix det b.csv
95
$ printf '1,2\n3,-5\n' > c.csv; samara matrix inv c.csv
0.45454545454545453,0.18181818181818182
0.2727272727272727,-0.09090909090909091
$ printf '3,-9\n2,-6\n' > s.csv; samara matrix inv s.csv
samara: the matrix is singular: row 2 is a combination of the rows before it (condition number: infinite)
[status 1]
$ samara matrix det s.csv
0
$ printf '5\n-7\n' > rhs.csv; samara matrix solve c.csv rhs.csv
1
2
$ printf '2,1\n1,2\n' > e.csv; samara matrix eigen e.csv
values
3,1
vectors
0.7071067811865475,0.7071067811865475
0.7071067811865475,-0.7071067811865475
$ samara matrix svd a.csv --json
{
  "json_version": 1,
  "command": "matrix",
  "values": [8.06329101791615, 2.23233912307085],
  "U": [[0.865945279301636, 0.5001387540025382], [-0.5001387540025382, 0.865945279301636]],
  "Vt": [
    [-0.016659727201332797, 0.999861217114444],
    [0.9998612171144439, 0.016659727201332828]
  ]
}
$ samara matrix eigen a.csv
samara: the matrix is not symmetric: row 2, column 1 differs from row 1, column 2
[status 1]
$ samara matrix det rhs.csv
samara: det needs a square matrix, and this one is 2 x 1
[status 1]
$ samara matrix trace a.csv
samara: there is no 'matrix trace'; choose det, inv, solve, eigen, svd, lu, qr, cholesky or rank
[status 2]
$ samara matrix det data/iris.csv
samara: data/iris.csv: column '0' holds numbers, but 1 of 151 fields is something else: 'sepal_length' (line 1); if they stand for missing values add --missing 'sepal_length', if the column is a category add --type 0=category (or is the first row a header?)
[status 1]

# Factorisations of a table.
$ printf '4,2\n2,5\n' > p.csv; samara matrix cholesky p.csv
2,0
1,2
$ printf '1,2\n2,1\n' > q.csv; samara matrix cholesky q.csv
samara: the matrix is not positive definite: it has no Cholesky factor (pivot 2 is not positive)
[status 1]
$ samara matrix lu a.csv
rows
2,1
L
1,0
0.5,1
U
2,-4
0,9
$ printf '3\n4\n' > v.csv; samara matrix qr v.csv
Q
0.6000000000000001
0.8
R
5
$ samara matrix rank s.csv --json
{
  "json_version": 1,
  "command": "matrix",
  "rank": 1,
  "condition": null
}
$ samara matrix rank p.csv
rank
2
condition
2.690873457204966

# A generalised eigenproblem takes a second matrix.
$ printf '2,0\n0,9\n' > d.csv; printf '1,0\n0,3\n' > w.csv; samara matrix eigen d.csv w.csv
values
3.0000000000000004,2
vectors
0,1
0.5773502691896258,0
$ samara matrix eigen d.csv q.csv
samara: the right-hand matrix is not positive definite: pivot 2 is not positive
[status 1]
$ samara matrix eigen d.csv v.csv
samara: eigen needs a square matrix, and this one is 2 x 1
[status 1]
$ samara matrix det d.csv w.csv
samara: matrix det takes one file, and 'w.csv' is a second
[status 2]
