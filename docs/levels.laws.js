"use strict";

/* The numbers of levels.html: closed forms of the laws of dirpriv on the circle and in the plane.

   Angles are in radians; half a turn (π) is 12 hours. A law here has its density on both sides of the true
   value, the quantiles and the mean of the angle between report and true value, E cos θ, E sin² θ, and the
   largest privacy loss between two inputs at a distance. tests/dirpriv/test_level_page.py holds every one of
   these numbers against the library. */

const Laws = (() => {
  const { PI, abs, cos, exp, expm1, log, log1p, sin, sqrt, tan, tanh } = Math;

  const HALF_DAY = 720; // minutes in π
  const SHARES = [0.5, 0.68, 0.95];
  const TWENTY_MINUTES = PI * 20 / HALF_DAY;

  // ---------------------------------------------------------------- laws on the circle

  /* Density ∝ exp(-κθ): dirpriv.laws.Purkayastha(dim=2). */
  function purkayastha(kappa) {
    const within = -expm1(-kappa * PI);
    return {
      kappa,
      density: (theta) => kappa * exp(-kappa * theta) / (2 * within),
      quantile: (share) => -log1p(-share * within) / kappa,
      meanAngle: 1 / kappa - PI / expm1(kappa * PI),
      meanCosine: kappa ** 2 / (1 + kappa ** 2) / tanh(kappa * PI / 2),
      meanSquaredSine: 2 / (4 + kappa ** 2),
      loss: (distance) => kappa * distance,
    };
  }

  /* Density ∝ exp(κ cos θ): dirpriv.laws.VonMisesFisher(dim=2).

     The Fourier coefficients are a_j = I_j(κ)/I_0(κ). Their ratios r_j = I_{j+1}/I_j follow from Gauss'
     continued fraction r_j = 1/(2 (j+1)/κ + r_{j+1}), taken from so large a j that the rest is below 1e-17. */
  function vonMisesFisher(kappa) {
    const last = Math.ceil(30 + 12 * sqrt(kappa));
    const ratios = new Array(last + 1).fill(0);
    for (let j = last - 1; j >= 0; j--) ratios[j] = 1 / (2 * (j + 1) / kappa + ratios[j + 1]);
    const coefficients = [1];
    for (let j = 0; j < last; j++) coefficients.push(coefficients[j] * ratios[j]);
    const series = (term) => coefficients.reduce((sum, a, j) => (j ? sum + a * term(j) : sum), 0);
    const peak = (1 + 2 * series(() => 1)) / (2 * PI);
    const cdf = (theta) => (theta + 2 * series((j) => sin(j * theta) / j)) / PI;
    return {
      kappa,
      density: (theta) => peak * exp(-2 * kappa * sin(theta / 2) ** 2),
      quantile: (share) => bisect((theta) => cdf(theta) - share, 0, PI),
      meanAngle: PI / 2 - 4 / PI * series((j) => (j % 2 ? 1 / j ** 2 : 0)),
      meanCosine: ratios[0],
      meanSquaredSine: ratios[0] / kappa,
      loss: (distance) => 2 * kappa * sin(distance / 2),
    };
  }

  /* Density ∝ cosh κ(π - θ), Laplace noise modulo one turn: dirpriv.laws.WrappedLaplace. */
  function wrappedLaplace(kappa) {
    const around = exp(-2 * kappa * PI), within = -expm1(-2 * kappa * PI);
    return {
      kappa,
      density: (theta) => kappa * (exp(-kappa * theta) + exp(-kappa * (2 * PI - theta))) / (2 * within),
      quantile(share) {
        const half = (1 - share) * within / 2; // sinh κ(π - θ) = (1 - share) sinh κπ, over exp κπ
        return -log(half + sqrt(half ** 2 + around)) / kappa;
      },
      meanAngle: tanh(kappa * PI / 2) / kappa,
      meanCosine: kappa ** 2 / (1 + kappa ** 2),
      meanSquaredSine: 2 / (4 + kappa ** 2),
      loss: (distance) =>
        kappa * distance + log1p(around) - log1p(exp(-2 * kappa * (PI - distance))),
    };
  }

  /* Two levels, e^ε times as high within the angle α as beyond: dirpriv.release.CircleRelease.pure with
     very many cells. E cos θ is largest where tan α - α = π/(e^ε - 1), and is cos α there. */
  function cap(epsilon) {
    const rest = PI / expm1(epsilon);
    const alpha = bisect((angle) => tan(angle) - angle - rest, 0, PI / 2);
    const low = 1 / (2 * (alpha * expm1(epsilon) + PI)), high = exp(epsilon) * low;
    const inside = 2 * high * alpha;
    return {
      kappa: alpha, // the parameter of this law
      density: (theta) => (theta <= alpha ? high : low),
      quantile: (share) => (share <= inside ? share / (2 * high) : alpha + (share - inside) / (2 * low)),
      meanAngle: high * alpha ** 2 + low * (PI ** 2 - alpha ** 2),
      meanCosine: cos(alpha),
      meanSquaredSine: sin(alpha) ** 2 / 2,
      loss: (distance) => (distance > 0 ? epsilon : 0),
    };
  }

  /* The zero of a rising function, to the last digit. */
  function bisect(rising, low, high) {
    for (let step = 0; step < 200; step++) {
      const middle = (low + high) / 2;
      if (middle <= low || middle >= high) break;
      if (rising(middle) < 0) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  }

  // ---------------------------------------------------------------- calibrations

  const same = (epsilon) => epsilon;
  const overPi = (epsilon) => epsilon / PI;

  /* The κ of wrapped Laplace at which the steepest slope of the log-density, κ tanh κπ, is ε. */
  function concentrationAtSlope(epsilon) {
    let kappa = epsilon + 1 / PI;
    for (let step = 0; step < 60; step++) {
      const slope = tanh(kappa * PI);
      const change = (kappa * slope - epsilon) / (slope + kappa * PI * (1 - slope) * (1 + slope));
      kappa -= change;
      if (abs(change) <= 2e-16 * kappa) break;
    }
    return kappa;
  }

  /* The κ of wrapped Laplace at which the whole fall of the log-density, log cosh κπ, is ε. */
  const concentrationAtFall = (epsilon) => (epsilon + log1p(sqrt(-expm1(-2 * epsilon)))) / PI;

  /* For each promise the κ of a level: "within" is a level per radian (dirpriv's Mechanism.within), "pure"
     the level between any two inputs (Mechanism.pure). A mechanism without a promise is not shown for it.
     "both" are the promises for which both calibrations agree; they are shown once. */
  const MECHANISMS = [
    { id: "purkayastha", label: "Purkayastha", law: purkayastha, within: same, pure: overPi,
      both: ["within", "pure"] },
    { id: "von_mises_fisher", label: "von Mises–Fisher", calibration: "tight", law: vonMisesFisher,
      within: same, pure: (epsilon) => epsilon / 2, both: ["within"] },
    { id: "von_mises_fisher-published", label: "von Mises–Fisher", calibration: "published",
      law: vonMisesFisher, pure: overPi },
    { id: "wrapped_laplace", label: "wrapped Laplace", calibration: "tight", law: wrappedLaplace,
      within: concentrationAtSlope, pure: concentrationAtFall },
    { id: "wrapped_laplace-published", label: "wrapped Laplace", calibration: "published",
      law: wrappedLaplace, within: same, pure: overPi },
    { id: "cap", label: "cap", law: cap, pure: same },
  ];

  /* Reports that a circular mean needs for an expected error, all people at one time: E|Z|/(ρ √n) = error
     with Z normal of variance E sin² θ. This is dirpriv.estimators.expected_mean_error, as in the study's
     survey sizes (a law of large n). */
  const people = (law, error) => 2 / PI * law.meanSquaredSine / (law.meanCosine * error) ** 2;

  /* What a belief of 50 % in one of two inputs can become by a report of this loss. */
  const belief = (loss) => 1 / (1 + exp(-loss));

  /* The mechanisms that keep a promise, each with its law and its numbers. The radius is in minutes. */
  function onClock(level, minutes, promise) {
    const radius = PI * minutes / HALF_DAY;
    return MECHANISMS.filter((mechanism) => mechanism[promise]).map((mechanism) => {
      const law = mechanism.law(mechanism[promise](promise === "within" ? level / radius : level));
      return {
        ...mechanism,
        bothAgree: (mechanism.both || []).includes(promise),
        law,
        quantiles: SHARES.map(law.quantile),
        lossAtRadius: law.loss(radius),
        people: people(law, TWENTY_MINUTES),
      };
    });
  }

  // ---------------------------------------------------------------- the plane

  /* Density ∝ exp(-κ ‖z‖), κ = level/radius: dirpriv.laws.PlanarLaplace. */
  function inPlane(level, metres) {
    const kappa = level / metres;
    // P[distance > x/κ] = (1 + x) e^-x, which falls
    const quantile = (share) =>
      bisect((x) => (1 - share) - (1 + x) * exp(-x), 0, 800) / kappa;
    return {
      kappa,
      quantile,
      quantiles: SHARES.map(quantile),
      meanRadius: 2 / kappa,
      loss: (distance) => kappa * distance,
      // the mean of n places is off by E‖Z‖ = √(3/κ² π/2n); how many bring that to a tenth of the radius
      people: 3 / kappa ** 2 * PI / 2 / (metres / 10) ** 2,
    };
  }

  return { HALF_DAY, SHARES, MECHANISMS, onClock, inPlane, belief, people };
})();
