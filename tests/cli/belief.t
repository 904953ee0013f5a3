# Bayesian networks: queries, separation, rows, and both forms of files.
$ samara belief query data/networks/sprinkler.txt "P(rain | wet=yes)"
P(rain | wet=yes), exact
log P(evidence) -0.435254

  rain  probability
  yes      0.707928
  no       0.292072
$ samara belief query data/networks/sprinkler.txt "sprinkler, rain=yes | wet=yes"
P(sprinkler, rain=yes | wet=yes), exact
log P(evidence) -0.435254

  sprinkler  rain  probability
  yes        yes      0.137691
  no         yes      0.570236
$ samara belief query data/networks/cancer.txt "P(* | dyspnoea=true)"
/P\(\*\ \|\ dyspnoea=true\),\ exact/
log P(evidence) -1.1905

  variable   level     probability
  pollution  low          0.898001
  pollution  high         0.101999
  smoker     true         0.307034
  smoker     false        0.692966
  cancer     true         0.024861
  cancer     false        0.975139
  xray       positive     0.217403
  xray       negative     0.782597
  dyspnoea   true                1
  dyspnoea   false               0
$ samara belief query data/networks/asia.txt "P(lung | xray=yes, dysp=yes)" --samples 20000 --seed 3
P(lung | xray=yes, dysp=yes), likelihood weighting: 20000 samples, worth 2366
log P(evidence) -2.65143

  lung  probability  standard_error
  yes      0.620293       0.0121317
  no       0.379707       0.0121317
$ samara belief query data/networks/asia.txt "P(dysp | lung=yes, either=no)"
samara: the evidence has probability 0 in this network, so nothing follows from it: lung=yes, either=no
[status 1]
$ samara belief query data/networks/asia.txt "P(smok)"
samara: the network has no variable 'smok'; did you mean 'smoke'? (while reading the query P(smok))
[status 2]
$ samara belief query data/networks/asia.txt "P(dysp | lung=yes)" --seed 3
samara: --seed is for answers from samples; --samples N asks for them
[status 2]
$ samara belief likeliest data/networks/asia.txt "P(* | xray=yes, dysp=yes)"
/P\(\*\ \|\ xray=yes,\ dysp=yes\):\ the\ likeliest\ levels\ together,\ probability\ 0\.366965/
log P(evidence) -2.64973

  variable  level
  asia      no
  tub       no
  smoke     yes
  lung      yes
  bronc     yes
  either    yes
$ samara belief likeliest data/networks/asia.txt "P(lung, bronc | dysp=yes)"
P(lung, bronc | dysp=yes): the likeliest levels together, probability 0.76894
log P(evidence) -0.83018

  variable  level
  lung      no
  bronc     yes
$ samara belief likeliest data/networks/sprinkler.txt
/P\(\*\):\ the\ likeliest\ levels\ together,\ probability\ 0\.324/

  variable   level
  cloudy     yes
  sprinkler  no
  rain       yes
  wet        yes
$ samara belief likeliest data/networks/asia.txt "P(lung=yes | dysp=yes)"
samara: the levels that are sought cannot be given: put those that are known after '|'
[status 2]
$ samara belief likeliest data/networks/asia.txt "P(* | lung=yes, either=no)"
samara: the evidence has probability 0 in this network, so nothing follows from it: lung=yes, either=no
[status 1]
$ samara belief separated data/networks/asia.txt asia smoke
asia and smoke are independent.
  asia -> tub -> either <- lung <- smoke
    blocked: either is a collider, and neither it nor a descendant is given
  asia -> tub -> either -> dysp <- bronc <- smoke
    blocked: dysp is a collider, and neither it nor a descendant is given
$ samara belief separated data/networks/asia.txt asia smoke given dysp
asia and smoke are not separated: they may depend on each other given dysp.
  asia -> tub -> either <- lung <- smoke
    open: either is a collider with a descendant that is given
$ samara belief separated data/networks/asia.txt asia asia
samara: separated needs two different variables, neither of them given
[status 2]
$ samara belief check data/networks/alarm.txt
variables        37
edges            46
parameters       509
largest_table    108
most_parents     4
largest_clique   144
inference_bytes  36036
$ samara belief edges data/networks/asia.txt
asia -> tub, smoke -> lung, smoke -> bronc, lung -> either, tub -> either, either -> xray, bronc -> dysp, either -> dysp
$ samara belief convert data/networks/sprinkler.txt s.bif; head -4 s.bif; samara belief convert s.bif - | samara belief query - "P(wet)"
wrote     s.bif
network sprinkler {
}
variable cloudy {
  type discrete [ 2 ] { yes, no };
P(wet), exact

  wet  probability
  yes       0.6471
  no        0.3529
$ samara belief sample data/networks/sprinkler.txt 4 --seed 2
cloudy,sprinkler,rain,wet
no,no,yes,yes
no,no,no,no
no,no,no,no
no,no,yes,yes
$ samara belief sample data/networks/sprinkler.txt none
samara: 'none' is not a number of rows: belief sample NETWORK 1000
[status 2]
$ samara belief sample data/networks/asia.txt 2000 -o rows.csv; samara train "bayesnet graph='$(samara belief edges data/networks/asia.txt | sed 's/ dysp/ target/g')'" rows.csv --target dysp --holdout 0 -o asia.smr -q; samara belief query asia.smr "P(dysp | bronc=yes, either=yes)"
wrote     rows.csv
P(dysp | bronc=yes, either=yes), exact
log P(evidence) -3.4149

  dysp  probability
  no       0.115942
  yes      0.884058
$ printf 'bronc,either,smoke\nyes,yes,\n,no,yes\nmaybe,,\n' > some.csv; samara belief predict asia.smr some.csv dysp --proba; samara belief predict data/networks/asia.txt some.csv lung
samara: warning: 1 value that the network has no level for is taken as missing
dysp,p(no),p(yes)
yes,0.11594202898550725,0.8840579710144928
yes,0.47615203737885303,0.523847962621147
no,0.5705307133134713,0.4294692866865287
samara: warning: 1 value that the network has no level for is taken as missing
lung
yes
no
no
$ samara train "standardize | bayesnet" data/iris.csv --target species -o scaled.smr -q; samara belief predict scaled.smr data/iris.csv species
samara: scaled.smr transforms columns before the network, so raw rows do not fit it; 'samara predict' predicts its target
[status 1]
$ samara train ridge data/diabetes.csv --target progression -o ridge.smr -q; samara belief query ridge.smr
samara: ridge.smr is a model that is no Bayesian network; bayesnet learns one
[status 1]
$ printf 'variable a: x, y\nvariable b: u, v\nP(a | b)\n u: 0.5, 0.6\n v: 1, 0\nP(b) = 1, 0\n' > sum.txt; samara belief check sum.txt
samara: sum.txt:3: P(a | b=u) does not sum to 1 but to 1.1
[status 1]
$ printf 'variable a: x, y\nvariable b: u, v\nP(a | b)\n *: 0.5, 0.5\nP(b | a)\n *: 1, 0\n' > cycle.txt; samara belief check cycle.txt
samara: cycle.txt: the graph has a cycle: b -> a -> b
[status 1]
$ samara help belief | sed -n "5,8p;16,20p"
  query NETWORK [QUERY]       probabilities; of every variable without a query
  likeliest NETWORK [QUERY]   the levels that are likeliest together
  separated NETWORK A B [given C ...]
                              are A and B independent, and along which paths not
  NETWORK is a network file, BIF, or a model of bayesnet. A QUERY is "P(A, B=yes | C=no)";
/\ \ \*\ in\ place\ of\ A\ stands\ for\ every\ variable\./

Examples
  samara belief query data/networks/asia.txt "P(lung | xray=yes, dysp=yes)"
$ samara belief ask data/networks/asia.txt
samara: there is no 'belief ask'; choose query, likeliest, separated, predict, sample, draw, edges, convert or check
[status 2]
$ samara belief edges data/networks/asia.txt -o edges.txt
samara: --output is not for 'belief edges'
[status 2]

# A learned network makes rows with its columns: levels by its tables, numbers in their bins; other models do too, and say so.
$ samara train bayesnet data/iris.csv --target species -o net.smr -q > /dev/null; samara make net.smr rows=2 --seed 3
species,sepal_length,sepal_width,petal_length,petal_width
versicolor,5.877954865181327,2.7779493765315504,4.499007947114084,1.3666902177111355
versicolor,4.739219760355387,2.1759234605793707,4.599108286301123,1.209026742462971
$ samara make net.smr rows=2000 --seed 3 -o drawn.csv; samara evaluate net.smr drawn.csv | grep "accuracy  "
drawn.csv: 2000 rows, 5 columns
  accuracy           0.9235 (0.911 to 0.934)    kappa              0.88523
  balanced_accuracy  0.924168                   auc_ovo            0.987922
$ samara make net.smr sequences=2
samara: make MODEL has no 'sequences'; it takes rows=N
[status 2]
$ samara train bayes data/iris.csv --target species -o iris.smr -q > /dev/null; samara make iris.smr rows=2 --seed 3
species,sepal_length,sepal_width,petal_length,petal_width
versicolor,5.36158896669495,2.954109506181976,3.913641288414969,1.475591176574134
versicolor,6.774581501086537,2.861906018691162,5.43667047936243,0.9125380714342227
$ samara train "words | bayes" data/messages.csv --target topic -o topics.smr -q > /dev/null; samara make topics.smr rows=2
samara: this model changes its columns before bayes learns from them: its rows cannot be drawn; train bayes alone
[status 2]
$ samara train tree data/iris.csv --target species -o tree.smr -q > /dev/null; samara make tree.smr rows=2
samara: a tree model does not say how rows come about: none can be drawn from it
[status 2]
$ samara help make | tail -4

Models
  samara make MODEL rows=N draws rows from a model that says how they come about;
  of sequences: sequences=N length=N. Learners: bayes, bayesnet, density, gauss, gmm, hmm
$ samara make net.smr rows=2 rows=3
samara: rows is given twice
[status 2]
$ samara make net.smr rows=0
samara: rows=0: a whole number from 1 to 1000000000
[status 2]
$ samara make net.smr rows=999999999 --memory 100M
samara: a table of the rows needs 112000.0 MB, and the memory budget leaves 100.0 MB; draw fewer
[status 1]
