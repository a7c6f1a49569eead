"""Prices, risks and trading."""

import math

import numpy as np

from corpus import case


def cdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def prices(n, r):
    return (np.exp(np.cumsum(0.1 * r.normal(size=n))),)


@case(lambda n, r: (90 + 20 * r.random(n), 100.0, 0.02, 0.2, 1.0))
def black_scholes(spot, strike, rate, vol, t):
    call = np.empty(len(spot))
    for i in range(len(spot)):
        d1 = (math.log(spot[i] / strike) + (rate + 0.5 * vol * vol) * t) / (
            vol * math.sqrt(t)
        )
        d2 = d1 - vol * math.sqrt(t)
        call[i] = spot[i] * cdf(d1) - strike * math.exp(-rate * t) * cdf(d2)
    return call


@case(lambda n, r: (100.0, 95.0, 0.01, 0.3, 1.0, n + 1))
def binomial_american_put(s, k, r, sigma, t, n):
    dt = t / n
    up = math.exp(sigma * math.sqrt(dt))
    down = 1 / up
    p = (math.exp(r * dt) - down) / (up - down)
    disc = math.exp(-r * dt)
    values = np.zeros(n + 1)
    for j in range(n + 1):
        values[j] = max(k - s * up**j * down ** (n - j), 0.0)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1):
            hold = disc * (p * values[j + 1] + (1 - p) * values[j])
            exercise = k - s * up**j * down ** (i - j)
            values[j] = max(hold, exercise)
    return values[0]


@case(lambda n, r: (100.0, 0.02, 0.2, 0.01, r.normal(size=(n, 4))))
def monte_carlo_paths(s0, mu, sigma, dt, normals):
    steps, paths = normals.shape
    out = np.empty((steps + 1, paths))
    out[0, :] = s0
    for p in range(paths):
        for t in range(steps):
            z = normals[t, p]
            drift = (mu - 0.5 * sigma**2) * dt
            out[t + 1, p] = out[t, p] * np.exp(drift + sigma * np.sqrt(dt) * z)
    return out


@case(lambda n, r: (r.normal(size=(n, 5)), 100.0, 100.0, 0.2))
def asian_call(z, s0, strike, sigma):
    payoff = 0.0
    n, steps = z.shape
    for i in range(n):
        s = s0
        average = 0.0
        for t in range(steps):
            s *= math.exp(-0.5 * sigma * sigma / steps + sigma * z[i, t])
            average += s
        average /= steps
        payoff += max(average - strike, 0.0)
    return payoff / n if n else 0.0


@case(prices)
def max_drawdown(equity):
    peak = -np.inf
    worst = 0.0
    start = end = low = 0
    for i in range(len(equity)):
        if equity[i] > peak:
            peak = equity[i]
            low = i
        dd = (peak - equity[i]) / peak
        if dd > worst:
            worst = dd
            start, end = low, i
    return worst, start, end


@case(lambda n, r: (*prices(n, r), 3))
def rsi(close, period):
    n = len(close)
    out = np.full(n, np.nan)
    gain, loss = 0.0, 0.0
    for i in range(1, n):
        change = close[i] - close[i - 1]
        up = change if change > 0 else 0.0
        dn = -change if change < 0 else 0.0
        if i <= period:
            gain += up / period
            loss += dn / period
        else:
            gain = (gain * (period - 1) + up) / period
            loss = (loss * (period - 1) + dn) / period
        if i >= period:
            out[i] = 100.0 if loss == 0 else 100.0 - 100.0 / (1.0 + gain / loss)
    return out


@case(lambda n, r: (*prices(n, r), r.integers(-1, 2, n), 0.001))
def backtest(close, signal, fee):
    cash = 1.0
    position = 0.0
    equity = np.zeros(close.shape[0])
    trades = 0
    for i in range(close.shape[0]):
        if signal[i] == 1 and position == 0:
            position = cash * (1 - fee) / close[i]
            cash = 0.0
            trades += 1
        elif signal[i] == -1 and position > 0:
            cash = position * close[i] * (1 - fee)
            position = 0.0
            trades += 1
        equity[i] = cash + position * close[i]
    return equity, trades


@case(lambda n, r: (r.normal(size=n), 0.1, 0.1, 0.8))
def garch_variance(returns, omega, alpha, beta):
    sigma2 = np.zeros(returns.shape[0])
    for t in range(returns.shape[0]):
        if t == 0:
            sigma2[t] = omega / (1 - alpha - beta)
        else:
            sigma2[t] = omega + alpha * returns[t - 1] ** 2 + beta * sigma2[t - 1]
    return sigma2


@case(lambda n, r: (100 * r.random(n), 0.05))
def net_present_value(flows, rate):
    total = 0.0
    for t, c in enumerate(flows):
        total += c / (1 + rate) ** t
    return total


@case(lambda n, r: (np.concatenate(([-100.0], 60 * r.random(n))), 1e-8))
def internal_rate(flows, tol):
    low, high = -0.9, 10.0
    mid = 0.0
    for _ in range(100):
        mid = (low + high) / 2
        value = 0.0
        for t in range(len(flows)):
            value += flows[t] / (1.0 + mid) ** t
        if abs(value) < tol:
            break
        if value > 0:
            low = mid
        else:
            high = mid
    return mid


@case(lambda n, r: (r.random(n), r.random((n, n))))
def portfolio_variance(weights, cov):
    total = 0.0
    for i in range(len(weights)):
        for j in range(len(weights)):
            total += weights[i] * weights[j] * cov[i, j]
    return np.sqrt(total)


@case(lambda n, r: (*prices(n, r), r.integers(1, 9, n), 10))
def volume_bars(price, volume, size):
    bars = np.zeros((len(price), 4))
    count = 0
    filled = 0
    opened = high = low = 0.0
    for p, v in zip(price, volume):
        if filled == 0:
            opened = high = low = p
        high = max(high, p)
        low = min(low, p)
        filled += v
        if filled >= size:
            bars[count] = opened, high, low, p
            count += 1
            filled = 0
    return bars[:count]


def below_the_top(price, start=0):
    falls = np.empty_like(price)
    top = price[start]
    for t in range(price.shape[0]):
        if not np.isnan(price[t]):
            top = max(top, price[t])
        falls[t] = price[t] / top - 1.0
    return falls


def longest_run(price):
    if len(price) < 2:
        return 0
    best = run = 0
    for t in range(1, len(price)):
        run = run + 1 if price[t] > price[t - 1] else 0
        best = max(best, run)
    return best


@case(lambda n, r: (np.exp(np.cumsum(0.1 * r.normal(size=(n + 1, 3)), axis=0)),))
def drawdowns_of_columns(prices):
    falls = np.empty(prices.shape, dtype=np.float64)
    runs = np.zeros(prices.shape[1], dtype=np.int64)
    for col in range(prices.shape[1]):
        falls[:, col] = below_the_top(prices[:, col])
        runs[col] = longest_run(prices[:, col])
    return falls, runs


def captured(returns, market, floor):
    returns = returns[market > floor]
    market = market[market > floor]
    if returns.shape[0] < 1:
        return np.nan
    gain = 1.0
    base = 1.0
    for k in range(len(returns)):
        gain *= 1.0 + returns[k]
        base *= 1.0 + market[k]
    if base == 1.0:
        return np.inf
    return (gain - 1.0) / (base - 1.0)


@case(lambda n, r: (r.normal(0, 0.02, (n + 1, 5)), r.normal(0, 0.01, (n + 1, 5))))
def capture_ratios(returns, market):
    out = np.zeros(returns.shape[1])
    for col in range(returns.shape[1]):
        out[col] = captured(returns[:, col], market[:, col], 0.0)
    return out


def due(amount, rate):
    return round(amount * (1.0 + rate), 2)


@case(lambda n, r: (np.round(500 * r.random(n), 3), r.integers(0, 4, n), 0.19))
def invoices(amounts, kinds, rate):
    totals = np.zeros(4)
    printed = []
    open_sum = 0.0
    for i in range(len(amounts)):
        to_pay = due(float(amounts[i]), rate if kinds[i] else 0.07)
        totals[kinds[i]] = round(totals[kinds[i]] + to_pay, 2)
        open_sum = round(open_sum + to_pay, 2)
        printed.append(round(amounts[i], 1))
    return totals, printed, open_sum
