# Each column against a target of classes.
$ samara describe data/iris.csv --target species | tail -16

what each column alone tells about species (classes, entropy 1.58496 bits)
  name          kind    strength      gain  gain_ratio  split        f            p
  petal_width   number  0.813347  0.918296    0.429903    0.8  960.007  4.16945e-85
  petal_length  number  0.764163  0.918296    0.392676   2.45  1180.16  2.85678e-91
  sepal_length  number  0.421122  0.557233    0.227899   5.55  119.265  1.66967e-31
  sepal_width   number  0.228441  0.283126    0.138357   3.35    49.16  4.49202e-17

strongest correlations
  a             b               pearson
  petal_length  petal_width    0.962865
  sepal_length  petal_length   0.871754
  sepal_length  petal_width    0.817941
  sepal_width   petal_length   -0.42844
  sepal_width   petal_width   -0.366126
  ... and 1 more
$ printf 'rain,cloud,count\nyes,yes,24\nyes,no,1\nno,yes,25\nno,no,50\n' > rain.csv; samara describe rain.csv --target cloud --weight count --json | grep -A24 '"relevance": '
  "relevance": [
    {
      "name": "rain",
      "kind": "category",
      "strength": 0.2432732422372624,
      "rows": 100,
      "missing": 0,
      "occurring": 2,
      "entropy": 0.8112781244591327,
      "joint_entropy": 1.5605730472706036,
      "conditional_entropy": 0.7492949228114709,
      "entropy_given_target": 0.5608616055177937,
      "mutual_information": 0.250416518941339,
      "gain_ratio": 0.30866913749004143,
      "gain": 0.250416518941339,
      "chi2": 29.465119381085767,
      "df": 1,
      "p": 5.693215842034764e-8,
      "cramers_v": 0.542817827462269,
      "correlation_ratio": null,
      "levels": [
        {"level": "no", "rows": 75, "entropy": 0.9182958340544894},
        {"level": "yes", "rows": 25, "entropy": 0.24229218908241487}
      ]
    }

# Each column against a number.
$ samara describe data/diabetes.csv --target progression | tail -21
what each column alone tells about progression (a number in ten bins, entropy 3.32128 bits)
  name  kind      strength  mutual_information    pearson   spearman   spearman_p  correlation_ratio
  s5    number    0.347411            0.400575   0.565883   0.589416  1.06782e-42           0.594947
  bmi   number    0.343924             0.40889    0.58645   0.561382  4.56702e-38           0.587177
  s4    number    0.201539            0.287738   0.430453   0.448931  2.62904e-23           0.458146
  bp    number    0.194906            0.243958   0.441482   0.416241  5.99278e-20           0.450789
  s3    number    0.168118            0.275022  -0.394789  -0.410022  2.37706e-19           0.428647
  s6    number    0.150004            0.242379   0.382483   0.350792  3.03449e-14           0.409086
  s1    number   0.0540234             0.17549   0.212022   0.232429   7.79107e-7           0.262867
  s2    number   0.0432262            0.169477   0.174054   0.195834   3.38726e-5           0.250504
  age   number   0.0391335            0.167425   0.187889   0.197822   2.80613e-5           0.223865
  sex   number  0.00185434          0.00865739   0.043062  0.0374008     0.432832           0.043062

strongest correlations
  a    b              pearson
  s1   s2            0.896663
  s3   s4           -0.738493
  s2   s4            0.659817
  s4   s5            0.617859
  bmi  progression    0.58645
  ... and 15 more

# A target that is not there, or is several, is an error.
$ samara describe data/iris.csv --target speces
samara: data/iris.csv has no column 'speces'; did you mean 'species'?
[status 2]
$ samara describe data/iris.csv --target species,sepal_length
samara: --target: describe relates columns to one target, not to 2
[status 2]
$ samara describe data/iris.csv --target species --task regress
samara: the target 'species' holds text, which cannot be predicted as a number; leave out --task regress
[status 2]

# The same bytes at 1, 2 and 7 threads.
$ for n in 1 2 7; do samara describe data/breast_cancer.csv -t diagnosis -q --json --threads $n | grep -v seconds | md5sum; done | uniq | wc -l
1
