# Targets that cannot be learned.
$ printf 'a,b,y\n1,2,\n3,4,\n5,6,\n' > none.csv; samara train linear none.csv -t y -o m.smr
samara: the target 'y' is missing in all 3 rows
[status 1]
$ printf 'a,b,y\n1,2,red\n3,4,red\n5,6,red\n' > one.csv; samara train knn one.csv -t y -o m.smr
samara: the target 'y' has one class only, 'red': there is nothing to tell apart
[status 1]
$ printf 'y\n1\n2\n3\n' > alone.csv; samara train linear alone.csv -t y -o m.smr
samara: no columns are left to learn from beside the target
[status 1]
$ ls m.smr
ls: cannot access 'm.smr': No such file or directory
[status 2]

# Constant and collinear columns are named, and the model works.
$ samara make linear n=60 d=2 noise=0.1 --seed 4 -o line.csv -q
$ awk -F, 'NR==1{print $0",c,twin"} NR>1{print $0",5,"$1}' line.csv > twins.csv; samara train linear twins.csv -t y -o twins.smr > out; samara inspect twins.smr | tail -7
samara: warning: 12 rows were measured: figures from so few rows are unreliable; measure on more rows, or with samara cv
samara: warning: linear: 2 of 4 columns add nothing to the others: 'c' is constant; 'twin' = 'x0'. Of all coefficients that fit equally well, the smallest were taken; drop columns to be able to interpret them
   coefficients
     feature        estimate  std_error         t             p
     (intercept)  0.00383535  0.0138148  0.277627      0.782303
     x0              3.42441          -         -             -
     x1             -9.26746  0.0111821  -828.776  5.15943e-118
     c                     0          -         -             -
     twin            3.42441          -         -             -

# Names and numbers of rows are set aside, with the flag that keeps them.
$ awk -F, 'NR==1{print "id,name,"$0} NR>1{print NR-1",n"NR","$0}' line.csv > named.csv; samara train linear named.csv -t y -o named.smr | tail -1
samara: warning: column 'id' is set aside: whole numbers that are all distinct, like an identifier; --type 'id=number' keeps it
samara: warning: column 'name' is set aside: 60 of its 60 values are distinct, like names or free text; "words 'name' | ..." reads it, --type 'name=category' keeps it
samara: warning: 12 rows were measured: figures from so few rows are unreliable; measure on more rows, or with samara cv
saved     named.smr
$ samara train linear named.csv -t y --type id=number --type name=ignore --json | grep '"features"'
samara: warning: 12 rows were measured: figures from so few rows are unreliable; measure on more rows, or with samara cv
  "features": 3,

# Predicting with missing, further, renamed columns and unseen values.
$ samara train knn data/iris.csv -t species -o iris.smr -q
$ cut -d, -f1,3-5 data/iris.csv > less.csv; samara predict iris.smr less.csv -o out.csv; ls out.csv
samara: less.csv lacks 1 of the columns that the model needs: 'sepal_width'
ls: cannot access 'out.csv': No such file or directory
[status 2]
$ awk -F, '{print $5","$4","$3","$2","$1","(NR==1?"more":NR)}' data/iris.csv > more.csv; samara predict iris.smr more.csv | head -2
species
setosa
$ sed '1s/sepal_width/width/' data/iris.csv > renamed.csv; samara predict iris.smr renamed.csv
samara: renamed.csv lacks 1 of the columns that the model needs: 'sepal_width'
[status 1]
$ sed '5s/^[^,]*/wide/' data/iris.csv > word.csv; samara predict iris.smr word.csv
samara: word.csv:5: column 'sepal_length' must hold numbers, but here it has 'wide'; correct it, or if it stands for a missing value add --missing 'wide'
[status 1]
$ sed '5s/^[^,]*//' data/iris.csv > gap.csv; samara predict iris.smr gap.csv
samara: row 4, column 'sepal_length': the value is missing (or not seen in training), and this model was fitted without missing values there; train with 'impute | ...' to allow them
[status 1]
$ samara train "impute | knn" data/iris.csv -t species -o gaps.smr -q; samara predict gaps.smr gap.csv | sed -n 5p
setosa
$ sed '2s/setosa/rose/' data/iris.csv > rose.csv; samara evaluate iris.smr rose.csv
samara: rose.csv: the target 'species' has a class 'rose' that the model does not know; samara inspect shows those it knows
[status 1]
$ samara evaluate iris.smr less.csv
samara: less.csv lacks 1 of the columns that the model needs: 'sepal_width'
[status 1]

# Files that are not models, damaged, or of another writer.
$ samara predict data/iris.csv data/iris.csv
samara: data/iris.csv is not a samara model file (it looks like CSV)
[status 1]
$ head -c 1000 iris.smr > cut.smr; samara predict cut.smr data/iris.csv
samara: the header should have 1976 bytes, but only 992 follow; the file is cut off or not a safetensors file (while loading cut.smr)
[status 1]
$ (head -c 2000 iris.smr; printf x; tail -c +2002 iris.smr) > bit.smr; samara inspect bit.smr
samara: the file is damaged: its contents do not match its checksum (while loading bit.smr)
[status 1]
$ : > empty.smr; samara inspect empty.smr
samara: the file has 0 bytes; a safetensors file begins with 8 that give the length of its header (while loading empty.smr)
[status 1]

# Directions without variance: of all columns, and of all but one.
$ printf 'a,b\n1,2\n1,2\n1,2\n' > same.csv; samara train "pca cv" same.csv > /dev/null; samara train "pca 0.5" same.csv > /dev/null; samara train "gmm 2" same.csv
samara: warning: pca: no feature varies: one component of variance 0 is kept
samara: warning: pca: no feature varies: one component of variance 0 is kept
samara: gmm: 2 components, and only 1 row differs from each other; take k up to 1
[status 1]
$ printf 'a,b\n1,2\n2,4\n3,6\n' > line.csv; samara train "pca 2 score=density" line.csv --task outliers > /dev/null
samara: warning: pca: k=2, and the variance of 3 rows of 2 features lies in 1 direction; this many components are kept
samara: pca: one component holds all the variance of 2 features, and rows off its line have no density; take --task outliers and score=error
[status 1]
