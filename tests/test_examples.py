"""The examples run, and they find the figures that others have published."""

import pytest

from examples import digits, lotka_volterra, nile


def test_nile_finds_the_variances_of_durbin_and_koopman(tmp_path, capsys):
    estimate = nile.main(tmp_path)
    assert estimate.noise == pytest.approx(nile.PUBLISHED_NOISE, rel=0.01)
    assert estimate.drift == pytest.approx(nile.PUBLISHED_DRIFT, rel=0.01)
    assert (tmp_path / "nile.png").stat().st_size > 10_000
    printed = capsys.readouterr().out
    assert "log-likelihood" in printed
    assert "def filter_step" in printed


def test_digits_are_read_with_fewer_than_five_errors_in_a_hundred(capsys):
    assert digits.main(["--short"]) > 0.95
    assert "epoch 10" in capsys.readouterr().out


def test_hares_and_lynxes_agree_with_the_case_study(tmp_path):
    parameters = lotka_volterra.main(tmp_path)
    # The mode of a skewed posterior is not its mean. The rates differ by less than a quarter of
    # the posterior's deviations (its 80 % intervals are published too), the error scales by more.
    for name in ("alpha", "beta", "gamma", "delta"):
        assert parameters[name] == pytest.approx(lotka_volterra.PUBLISHED[name], rel=0.05)
    for name in ("sigma_hare", "sigma_lynx"):
        assert parameters[name] == pytest.approx(lotka_volterra.PUBLISHED[name], rel=0.2)
    assert (tmp_path / "lotka_volterra.png").stat().st_size > 10_000
