# A tree is read as text; --depth and --rows say how much of it.
$ samara train tree data/iris.csv -t species -o iris.smr -q; samara inspect iris.smr | sed -n '/^   tree/,$p'
   tree
     150 rows, setosa 33.3 %
     petal_length <= 2.45 -> setosa  (50 rows, 100 %)
     petal_length > 2.45  (100 rows, versicolor 50 %)
     |  petal_width <= 1.75  (54 rows, versicolor 90.7 %)
     |  |  petal_length <= 4.95  (48 rows, versicolor 97.9 %)
     |  |  |  petal_width <= 1.65 -> versicolor  (47 rows, 100 %)
     |  |  |  petal_width > 1.65 -> virginica  (1 row, 100 %)
     |  |  petal_length > 4.95  (6 rows, virginica 66.7 %)
     |  |  |  petal_width <= 1.55 -> virginica  (3 rows, 100 %)
     |  |  |  petal_width > 1.55  (3 rows, versicolor 66.7 %)
     |  |  |  |  sepal_length <= 6.95 -> versicolor  (2 rows, 100 %)
     |  |  |  |  sepal_length > 6.95 -> virginica  (1 row, 100 %)
     |  petal_width > 1.75  (46 rows, virginica 97.8 %)
     |  |  petal_length <= 4.85  (3 rows, virginica 66.7 %)
     |  |  |  sepal_length <= 5.95 -> versicolor  (1 row, 100 %)
     |  |  |  sepal_length > 5.95 -> virginica  (2 rows, 100 %)
     |  |  petal_length > 4.85 -> virginica  (43 rows, 100 %)
$ samara inspect iris.smr --depth 2 | sed -n '/^   tree/,$p'
   tree
     150 rows, setosa 33.3 %
     petal_length <= 2.45 -> setosa  (50 rows, 100 %)
     petal_length > 2.45  (100 rows, versicolor 50 %)
     |  petal_width <= 1.75  (54 rows, versicolor 90.7 %)  ... 8 more nodes
     |  petal_width > 1.75  (46 rows, virginica 97.8 %)  ... 4 more nodes
$ samara inspect iris.smr --rows 6 | sed -n '/^   tree/,$p'
   tree
     150 rows, setosa 33.3 %
     petal_length <= 2.45 -> setosa  (50 rows, 100 %)
     petal_length > 2.45  (100 rows, versicolor 50 %)
     |  petal_width <= 1.75  (54 rows, versicolor 90.7 %)  ... 8 more nodes
     |  petal_width > 1.75  (46 rows, virginica 97.8 %)  ... 4 more nodes
$ samara inspect iris.smr --json | grep -A3 tree_text
      "tree_text": [
        "150 rows, setosa 33.3 %",
        "petal_length <= 2.45 -> setosa  (50 rows, 100 %)",
        "petal_length > 2.45  (100 rows, versicolor 50 %)",

# As rules: one per leaf, what is asked of a feature in one condition, most rows first.
$ samara inspect iris.smr --rules
iris.smr: 9 rules, those that cover most rows first

if petal_length <= 2.45
then setosa  (50 of 150 rows, 100 %)

if 2.45 < petal_length <= 4.95 and petal_width <= 1.65
then versicolor  (47 of 150 rows, 100 %)

if petal_length > 4.85 and petal_width > 1.75
then virginica  (43 of 150 rows, 100 %)

if petal_length > 4.95 and petal_width <= 1.55
then virginica  (3 of 150 rows, 100 %)

if 2.45 < petal_length <= 4.85 and petal_width > 1.75 and sepal_length > 5.95
then virginica  (2 of 150 rows, 100 %)

if petal_length > 4.95 and 1.55 < petal_width <= 1.75 and sepal_length <= 6.95
then versicolor  (2 of 150 rows, 100 %)

if 2.45 < petal_length <= 4.95 and 1.65 < petal_width <= 1.75
then virginica  (1 of 150 rows, 100 %)

if 2.45 < petal_length <= 4.85 and petal_width > 1.75 and sepal_length <= 5.95
then versicolor  (1 of 150 rows, 100 %)

if petal_length > 4.95 and 1.55 < petal_width <= 1.75 and sepal_length > 6.95
then virginica  (1 of 150 rows, 100 %)
$ samara inspect iris.smr --rules --rows 1
iris.smr: 9 rules, those that cover most rows first

if petal_length <= 2.45
then setosa  (50 of 150 rows, 100 %)

... 8 more; --rows 0 shows all
$ samara inspect iris.smr --rules --json | grep -A24 '"rules"'
  "rules": [
    {
      "if": "petal_length <= 2.45",
      "then": "setosa",
      "rows": 50,
      "coverage": 0.3333333333333333,
      "confidence": 1,
      "conditions": [{"feature": "petal_length", "to": 2.45, "missing": false}],
      "leaf": 0
    },
    {
      "if": "2.45 < petal_length <= 4.95 and petal_width <= 1.65",
      "then": "versicolor",
      "rows": 47,
      "coverage": 0.31333333333333335,
      "confidence": 1,
      "conditions": [
        {"feature": "petal_length", "above": 2.45, "to": 4.95, "missing": true},
        {"feature": "petal_width", "to": 1.65, "missing": true}
      ],
      "leaf": 2
    },
    {
      "if": "petal_length > 4.85 and petal_width > 1.75",
      "then": "virginica",

# As a graph, and as a picture.
$ samara inspect iris.smr --dot --depth 2
digraph tree {
  node [shape=box, style=rounded, fontname="sans-serif"];
  edge [fontname="sans-serif"];
  n0 [label="petal_length <= 2.45\n150 rows, setosa 33.3 %"];
  n1 [label="setosa\n50 rows, 100 %", style="rounded,bold"];
  n0 -> n1 [label="yes"];
  n2 [label="petal_width <= 1.75\n100 rows, versicolor 50 %"];
  n0 -> n2 [label="no"];
  n3 [label="petal_length <= 4.95\n54 rows, versicolor 90.7 %"];
  n2 -> n3 [label="yes"];
  m3 [label="... 8 more nodes", shape=plaintext];
  n3 -> m3 [style=dashed];
  n4 [label="petal_length <= 4.85\n46 rows, virginica 97.8 %"];
  n2 -> n4 [label="no"];
  m4 [label="... 4 more nodes", shape=plaintext];
  n4 -> m4 [style=dashed];
}
$ samara inspect iris.smr --dot -o iris.dot; grep -c 'n[0-9]* -> n[0-9]*' iris.dot
wrote     iris.dot
16
$ samara inspect iris.smr --plot tree.svg -q | tail -1; grep -c '<rect' tree.svg; grep -o '<desc>A tree[^.]*' tree.svg
     |  |  petal_length > 4.85 -> virginica  (43 rows, 100 %)
38
<desc>A tree of 17 nodes on 6 levels
$ samara inspect iris.smr --report iris.html -q > /dev/null; grep -c 'figure class="whole"' iris.html; grep -c '<pre class="tree"' iris.html
1
1

# The way of a row: each question, its answer, and how it moves what the tree says.
$ samara explain path iris.smr data/iris.csv --row 120
iris.smr, data/iris.csv: path
row 120: predicted virginica

tree 0: share of virginica
  question              value  answer     before      after  rows
  petal_length <= 2.45      5  no       0.333333        0.5   100
  petal_width <= 1.75     1.5  yes           0.5  0.0925926    54
  petal_length <= 4.95      5  no      0.0925926   0.666667     6
  petal_width <= 1.55     1.5  yes      0.666667          1     3
leaf: virginica, 3 rows
  class       rows  share
  setosa         0      0
  versicolor     0      0
  virginica      3      1
$ samara explain path iris.smr data/iris.csv --row 1 --plot path.svg --json | grep -A20 '"path"'
  "what": "path",
  "model": "iris.smr",
  "data": "data/iris.csv",
  "task": "classify",
  "row": 1,
  "predicted": "setosa",
  "path": {
    "tree": 0,
    "share_of": "setosa",
    "steps": [
      {
        "question": "petal_length <= 2.45",
        "feature": "petal_length",
        "value": 1.4,
        "answer": "yes",
        "before": 0.3333333333333333,
        "after": 1,
        "rows": 50
      }
    ],
    "leaf": 0,
    "then": "setosa",
    "rows": 50,
    "classes": [
      {"class": "setosa", "rows": 50, "share": 1},
      {"class": "versicolor", "rows": 0, "share": 0},
      {"class": "virginica", "rows": 0, "share": 0}
--
      "name": "path",
      "title": "Path",
      "note": "How each answer changed the tree's prediction, from the root down.",
      "x": {
        "label": "change",
        "scale": "linear"
      },
      "y": {
        "label": "",
        "scale": "names",
        "names": ["petal_length <= 2.45: yes"]
      },
      "series": [
        {
          "name": "change",
          "kind": "hbars",
          "x": [0.6666666666666667]
        }
      ]
    }
  ],
$ samara train "tree max_depth=2" data/diabetes.csv -t progression -o d.smr -q; samara explain path d.smr data/diabetes.csv --row 3
d.smr, data/diabetes.csv: path
row 3: predicted 225.88

tree 0
  question        value  answer   before    after  rows
  s5 <= 4.60015  4.6728  no      152.133  193.152   224
  bmi <= 27.75     30.5  no      193.152   225.88   108
leaf: 225.88, 108 rows

# Categories and missing values; a name may hold anything.
$ printf '%s\n' '"si""ze",colour,y' '1,red,a' '2,red,a' ',red,b' '4,blue,b' '5,blue,b' '6,"li\ght, pale",a' ',green,b' '8,"li\ght, pale",a' '3,red,a' '7,blue,b' '9,red,b' > people.csv; samara train tree people.csv -t y -o people.smr -q
$ samara inspect people.smr --rules; samara inspect people.smr | sed -n '/^   tree/,$p'
people.smr: 3 rules, those that cover most rows first

if colour in {'li\ght, pale', red} and si"ze <= 8.5
then a  (5 of 11 rows, 100 %)

if colour in {blue, green}
then b  (4 of 11 rows, 100 %)

if colour in {'li\ght, pale', red} and (si"ze > 8.5 or missing)
then b  (2 of 11 rows, 100 %)
   tree
     11 rows, b 54.5 %
     colour in {'li\ght, pale', red}  (7 rows, a 71.4 %)
     |  si"ze <= 8.5 -> a  (5 rows, 100 %)
     |  si"ze > 8.5 or missing -> b  (2 rows, 100 %)
     colour in {blue, green} -> b  (4 rows, 100 %)
$ samara inspect people.smr --dot
digraph tree {
  node [shape=box, style=rounded, fontname="sans-serif"];
  edge [fontname="sans-serif"];
  n0 [label="colour in {'li\\ght, pale', red}\n11 rows, b 54.5 %"];
  n1 [label="si\"ze <= 8.5\n7 rows, a 71.4 %"];
  n0 -> n1 [label="yes"];
  n3 [label="a\n5 rows, 100 %", style="rounded,bold"];
  n1 -> n3 [label="yes"];
  n4 [label="b\n2 rows, 100 %", style="rounded,bold"];
  n1 -> n4 [label="no"];
  n2 [label="b\n4 rows, 100 %", style="rounded,bold"];
  n0 -> n2 [label="no"];
}
$ samara explain path people.smr people.csv --row 3
people.smr, people.csv: path
row 3: predicted b

tree 0: share of b
  question                         value  answer    before     after  rows
  colour in {'li\ght, pale', red}  red    yes     0.545455  0.285714     7
  si"ze <= 8.5                     -      no      0.285714         1     2
leaf: b, 2 rows
  class  rows  share
  a         0      0
  b         2      1
$ samara train "tree missing=fraction" people.csv -t y -o shared.smr -q; samara explain path shared.smr people.csv --row 3; samara inspect shared.smr | sed -n '/^   tree/,$p'
shared.smr, people.csv: path
row 3: predicted a

tree 0: share of a
  question                         value  answer    before     after     rows
  colour in {'li\ght, pale', red}  red    yes     0.454545  0.714286        7
  si"ze <= 8.5                     -      yes     0.714286  0.857143  5.83333
  colour = 'li\ght, pale'          red    no      0.857143  0.782609  3.83333
  si"ze <= 1.5                     -      no      0.782609  0.782609  2.55556
  si"ze <= 2.5                     -      yes     0.782609  0.782609  1.27778
leaf: a, 1.27778 rows
  class      rows     share
  a             1  0.782609
  b      0.277778  0.217391
a value is missing, and the row goes all ways: this is the way of its largest part
   tree
     11 rows, b 54.5 %
     colour in {'li\ght, pale', red}  (7 rows, a 71.4 %)
     |  si"ze <= 8.5  (5.833 rows, a 85.7 %)
     |  |  colour = 'li\ght, pale' -> a  (2 rows, 100 %)
     |  |  colour != 'li\ght, pale'  (3.833 rows, a 78.3 %)
     |  |  |  si"ze <= 1.5 -> a  (1.278 rows, 78.3 %)
     |  |  |  si"ze > 1.5  (2.556 rows, a 78.3 %)
     |  |  |  |  si"ze <= 2.5 -> a  (1.278 rows, 78.3 %)
     |  |  |  |  si"ze > 2.5 -> a  (1.278 rows, 78.3 %)
     |  si"ze > 8.5 -> b  (1.167 rows, 100 %)
     colour in {blue, green} -> b  (4 rows, 100 %)

# Many trees: one is chosen, or all are summed.
$ samara train "boost 10 max_leaves=4" data/iris.csv -t species -o boost.smr -q; samara inspect boost.smr --tree 2 | sed -n '/^   tree  /,$p'
   tree          2
   score_of      virginica
   base  -1.09861, -1.09861, -1.09861
   importance
     feature          gain    splits    cover
     petal_length  0.69547  0.617647  0.70132
     petal_width   0.30453  0.382353  0.29868
   tree
     150 rows, -0.00333941
     petal_width <= 1.65  (102 rows, -0.0879559)
     |  petal_length <= 4.95 -> -0.097  (97 rows)
     |  petal_length > 4.95 -> +0.0875  (5 rows)
     petal_width > 1.65 -> +0.176471  (48 rows)
$ samara explain path boost.smr data/iris.csv --row 120; samara predict boost.smr data/iris.csv --decision | sed -n 121p | cut -c1-15
boost.smr, data/iris.csv: path
row 120: predicted virginica

59 questions of 30 trees
score of virginica
unit log-probability up to a constant
start -1.25107
  feature       value  questions  contribution
  petal_length      5         42       1.12497
  petal_width     1.5         17     -0.732449
score -0.858548
virginica,-1.92
$ samara explain path boost.smr data/iris.csv --row 120 --tree 2
boost.smr, data/iris.csv: path
row 120: predicted virginica

tree 2: adds to the score of virginica
  question              value  answer       before       after  rows
  petal_width <= 1.65     1.5  yes     -0.00333941  -0.0879559   102
  petal_length <= 4.95      5  no       -0.0879559      0.0875     5
leaf: 0.0875, 5 rows
$ samara train "forest 20" data/iris.csv -t species -o forest.smr -q; samara explain path forest.smr data/iris.csv --row 120; samara predict forest.smr data/iris.csv --proba | sed -n 121p
forest.smr, data/iris.csv: path
row 120: predicted virginica

103 questions of 20 trees
score of virginica
start 0.350667
  feature       value  questions  contribution
  petal_length      5         39      0.525866
  petal_width     1.5         33      -0.16457
  sepal_width     2.2         10     0.0657035
  sepal_length      6         21     0.0223341
score 0.8
virginica,0,0.2,0.8
$ samara train "bag 3 of=(tree max_depth=1)" data/wine.csv -t cultivar -o bag.smr -q; samara inspect bag.smr --tree 2 --rules; samara explain path bag.smr data/wine.csv --tree 2 | tail -9
bag.smr: 2 rules of tree 2, those that cover most rows first

if color_intensity > 3.46
then class_0  (120 of 178 rows, 47.5 %)

if color_intensity <= 3.46
then class_1  (58 of 178 rows, 100 %)

tree 2: share of class_0
  question                 value  answer    before  after  rows
  color_intensity <= 3.46   5.64  no      0.320225  0.475   120
leaf: class_0, 120 rows
  class    rows     share
  class_0    57     0.475
  class_1    13  0.108333
  class_2    50  0.416667

# What cannot be read is said.
$ samara inspect boost.smr --rules
samara: the model has 30 trees: choose one with --tree 0 to 29
[status 2]
$ samara inspect boost.smr --tree 30
samara: there is no tree 30; the model has 30, counted from 0
[status 2]
$ samara inspect iris.smr --dot --rules
samara: --dot and --rules exclude each other
[status 2]
$ samara inspect iris.smr --dot --json
samara: --dot prints a graph: it does not take --json, --plot or --report
[status 2]
$ samara inspect iris.smr -o x.txt
samara: inspect takes -o only with --dot; everything else is printed
[status 2]
$ samara inspect iris.smr --rules --depth 2
samara: --rules does not take --depth: a rule goes from the root to its leaf; --rows limits their number
[status 2]
$ samara explain path bag.smr data/wine.csv
samara: the 3 trees are of members of 'bag', which are not summed: choose one with --tree 0 to 2
[status 2]
$ samara explain path iris.smr data/iris.csv --row 151
samara: --row: there is no row 151; data/iris.csv has rows 1 to 150
[status 2]
$ samara explain path iris.smr data/iris.csv --row 0
samara: --row: at least 1
[status 2]
$ samara explain path iris.smr data/iris.csv --columns petal_width
samara: explain path does not take --columns
[status 2]
$ samara explain importance iris.smr data/iris.csv --row 3
samara: explain importance does not take --row
[status 2]
$ samara train "knn 3" data/iris.csv -t species -o knn.smr -q; samara inspect knn.smr --dot; samara explain path knn.smr data/iris.csv; samara inspect knn.smr --tree 0
samara: the model ends in 'knn', which is not made of trees; tree, forest and boost are
samara: the model ends in 'knn', which is not made of trees; tree, forest and boost are
samara: the model ends in 'knn', which is not made of trees; tree, forest and boost are
[status 2]
