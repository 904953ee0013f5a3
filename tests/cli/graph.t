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

# What is none is said.
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
samara: there is no 'graph join'; choose divide or cut
[status 2]
$ samara graph cut bridge.txt groups.csv -o x.csv
samara: graph cut writes no file; graph divide does
[status 2]
