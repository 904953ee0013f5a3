# Losses are listed, evaluated at some points, and drawn.
$ samara loss | head -n 3
  squared        (f - y)^2 / 2
  absolute       |f - y|
  huber          r^2 / 2 for |r| <= delta, else delta (|r| - delta / 2), r = f - y
$ samara loss squared_hinge huber=2 --plot huber.svg
Squared hinge loss
  name     squared_hinge
  title    Squared hinge loss
  formula  max(0, 1 - m)^2, m = y f
  kind     margin
  convex   yes
  smooth   yes
  kink     curvature 0 at m = 1
  margin  value  slope  curvature
      -3     16     -8          2
      -2      9     -6          2
      -1      4     -4          2
    -0.5   2.25     -3          2
       0      1     -2          2
     0.5   0.25     -1          2
       1      0      0          0
       2      0      0          0
       3      0      0          0

Huber's loss
  name       huber
  title      Huber's loss
  formula    r^2 / 2 for |r| <= delta, else delta (|r| - delta / 2), r = f - y
  kind       residual
  convex     yes
  smooth     yes
  parameter  delta
  at         2
  kink       curvature 1 at |r| = delta
  residual  value  slope  curvature
        -3      4     -2          0
        -2      2     -2          1
        -1    0.5     -1          1
      -0.5  0.125   -0.5          1
         0      0      0          1
       0.5  0.125    0.5          1
         1    0.5      1          1
         2      2      2          1
         3      4      2          0
wrote     huber.svg
$ samara loss cross_entropy --json | head -n 13
{
  "json_version": 1,
  "command": "loss",
  "losses": [
    {
      "name": "cross_entropy",
      "title": "Cross-entropy of softmax",
      "formula": "log(sum_c exp(f_c)) - f_y",
      "kind": "classes",
      "convex": true,
      "smooth": true,
      "points": [
        {"lead": -3, "value": 3.048587351573742, "slope": -0.9525741268224334},
$ samara loss --plot margins.svg --plot residuals.svg > /dev/null; ls *.svg
huber.svg
margins.svg
residuals.svg

# A wrong name gets the nearest right one, a wrong parameter its interval.
$ samara loss hing
samara: there is no loss 'hing'; did you mean 'hinge'?
[status 2]
$ samara loss hinge=2
samara: the loss 'hinge' has no parameter
[status 2]
$ samara loss huber=-1
samara: huber: delta = -1 is outside (0, inf)
[status 2]
$ samara loss huber=wide
samara: huber=wide: 'wide' is not a number
[status 2]
