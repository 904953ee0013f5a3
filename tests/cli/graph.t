# Two triangles and a bridge: where they are divided, and what that cuts.
$ printf 'a b\na c\nb c\nd e\nd f\ne f\nc d\n' > bridge.txt; samara graph divide bridge.txt "2 assign=sign" -o groups.csv
nodes        6
edges        7
parts        1
clusters     2
cut          1
RatioCut     0.666667
Ncut         0.285714
MinMaxCut    0.333333
sizes        3, 3
eigenvalues  0, 0.204666, 1.16667
wrote     groups.csv
$ cat groups.csv
node,cluster
a,0
b,0
c,0
d,1
e,1
f,1
$ samara graph cut bridge.txt groups.csv
nodes        6
edges        7
clusters     2
cut          1
RatioCut     0.666667
Ncut         0.285714
MinMaxCut    0.333333
names        0, 1
sizes        3, 3
$ samara graph divide bridge.txt "2 laplacian=unnormalised" | grep eigen
eigenvalues  0, 0.438447, 3

# Zachary's club, whose two halves parted: the sign of the second eigenvector knows all members but one.
$ samara graph divide data/karate.txt "2 assign=sign" -o halves.csv
nodes        34
edges        78
parts        1
clusters     2
cut          22
RatioCut     2.59722
Ncut         0.190909
MinMaxCut    0.211111
sizes        16, 18
eigenvalues  0, 0.110074, 0.247349
wrote     halves.csv
$ samara graph cut data/karate.txt data/karate_clubs.txt
nodes        34
edges        78
clusters     2
cut          25
RatioCut     2.94118
Ncut         0.216596
MinMaxCut    0.242925
names        MrHi, Officer
sizes        17, 17

# Lists of edges as people have them.
$ printf 'from,to,weight\n# a remark\nx,y,2\ny;z;0.5\n\n' > some.csv; samara graph divide some.csv 2
nodes        3
edges        2
parts        1
clusters     2
cut          0.5
RatioCut     0.75
Ncut         1.11111
MinMaxCut    inf
sizes        2, 1
eigenvalues  0, 1, 2
$ printf 'u u\nu v\nv w 3\n' > loop.txt; samara graph divide loop.txt 2 > /dev/null
samara: warning: loop.txt: 1 edge from a node to itself is left out
$ printf 'a b\nc d\nc e\n' > parts.txt; samara graph divide parts.txt
samara: warning: graph: the graph is in 2 parts without links between them, of 2, 3 nodes
nodes        5
edges        3
parts        2
clusters     2
cut          0
RatioCut     0
Ncut         0
MinMaxCut    0
sizes        2, 3
eigenvalues  0, 0, 1, 2, 2
$ samara graph divide parts.txt 1
samara: the graph is in 2 parts without edges between them, which k=1 clusters would have to join; give a k of at least 2, or leave it out
[status 1]
$ printf 'a b\nb a 2\nb c\na b\n' > again.txt; samara graph divide again.txt 2 > /dev/null
samara: warning: again.txt: 2 edges come again, one way or the other; the weights of equal edges are added up
$ printf 'a a\nb c\n' > alone.txt; samara graph divide alone.txt
samara: warning: alone.txt: 1 edge from a node to itself is left out
samara: warning: graph: the graph is in 2 parts without links between them, of 1, 2 nodes
nodes        3
edges        1
parts        2
clusters     2
cut          0
RatioCut     0
Ncut         0
MinMaxCut    0
sizes        1, 2
eigenvalues  0, 0, 2

# The rows of a table: what the classes of a column cut, and the list of edges.
$ samara graph rows data/iris.csv "standardize | spectral neighbors=5" --target species
nodes        150
edges        493
parts        1
clusters     3
cut          26.5
RatioCut     1.06
Ncut         0.211624
MinMaxCut    0.235688
names        setosa, versicolor, virginica
sizes        50, 50, 50
$ samara graph rows data/wine.csv "standardize | spectral graph=epsilon" --ignore cultivar -o near.csv
nodes        178
edges        946
parts        19
eps          2.59923
wrote     near.csv
$ head -n 3 near.csv; samara graph divide near.csv 3 | grep -E "nodes|edges"
from,to,weight
0,5,1
0,6,1
samara: warning: near.csv: 16 edges from a node to itself are left out
samara: the graph is in 19 parts without edges between them, which k=3 clusters would have to join; give a k of at least 19, or leave it out
[status 1]
$ printf 'x,times\n1,2\n2,1\n4,1\n8,3\n9,0\n' > times.csv; samara graph rows times.csv "spectral neighbors=2" --weight times -o -
samara: warning: spectral: 1 row weighs more than neighbors=2, so that it is not linked to others; raise neighbors, or divide the weights by their mean
from,to,weight
0,1,2
0,2,0.5
1,2,0.5
3,3,1

# What is none is said.
$ printf 'a b 1e308\na c 1e308\n' > large.txt; samara graph divide large.txt
samara: large.txt: the weights of the edges add up beyond double; divide them all by the same number
[status 1]
$ printf 'a b nan\n' > bad.txt; samara graph divide bad.txt
samara: bad.txt:1: the weight of an edge is a number above 0, not nan; leave out edges that are none
[status 1]
$ samara graph rows data/iris.csv "kmeans 3"
samara: a graph of rows is that of a sentence that ends in spectral, such as "standardize | spectral neighbors=5", not 'kmeans 3'
[status 2]
$ samara graph rows data/iris.csv "spectral graph=epsilon eps=0.0001" --ignore species
nodes        150
edges        1
parts        149
eps          0.0001
$ printf 'x,g\n1,a\n2,\n3,b\n' > gap.csv; samara graph rows gap.csv --target g
samara: row 2 has no value in column 'g', and so no group; leave such rows out
[status 1]
$ samara graph cut bridge.txt groups.csv --target g
samara: --target is about a table, for graph rows; graph cut reads edges
[status 2]
$ samara graph divide bridge.txt --type a=number
samara: --type is about a table, for graph rows; graph divide reads edges
[status 2]
$ samara graph rows data/iris.csv --plot nodes=x.svg
nodes        150
edges        988
parts        3
samara: --plot nodes: this result has no figures
[status 2]
$ printf 'a b -1\n' > bad.txt; samara graph divide bad.txt
samara: bad.txt:1: the weight of an edge is a number above 0, not -1; leave out edges that are none
[status 1]
$ printf 'a b 1 2\n' > bad.txt; samara graph divide bad.txt
samara: bad.txt:1: an edge has two nodes, and may have a weight; here are more than three words
[status 1]
$ printf 'a b\nc\n' > bad.txt; samara graph divide bad.txt
samara: bad.txt:2: an edge has two nodes, and may have a weight; here is one word
[status 1]
$ printf 'a b ten\n' > bad.txt; samara graph divide bad.txt
samara: bad.txt:1: the weight 'ten' is not a number
[status 1]
$ printf '# nothing\n' > bad.txt; samara graph divide bad.txt
samara: bad.txt has no edges
[status 1]
$ samara graph divide bridge.txt 7
samara: 6 nodes cannot make k=7 clusters; give a k from 1 to 6
[status 1]
$ samara graph divide bridge.txt "2 neighbors=3"
samara: the graph is given: graph, neighbors, eps, weights, sigma and metric make one of rows, and are not used here
[status 2]
$ samara graph divide bridge.txt "spectral 2 | knn"
samara: spectral is a learner and can only be at the end of the sentence, not before knn
[status 2]
$ printf 'node,group\na,1\nb,1\nc,2\nd,2\ne,2\n' > few.csv; samara graph cut bridge.txt few.csv
samara: few.csv: node 'f' of the graph has no group
[status 1]
$ printf 'a,1\nb,1\nz,2\n' > more.csv; samara graph cut bridge.txt more.csv
samara: more.csv:3: the graph has no node 'z'
[status 1]
$ printf 'a,1\nb,1\na,2\n' > twice.csv; samara graph cut bridge.txt twice.csv
samara: twice.csv:3: node 'a' has a group already
[status 1]
$ samara graph cut bridge.txt
samara: graph cut needs the edges and a file of labels, node and group
[status 2]
$ samara graph join bridge.txt
samara: there is no 'graph join'; choose divide, cut or rows
[status 2]
$ samara graph cut bridge.txt groups.csv -o x.csv
samara: graph cut writes no file; graph divide and graph rows do
[status 2]
