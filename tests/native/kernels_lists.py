"""Functions whose loops fill and empty lists."""

from collections import deque

import numpy as np


def close_pairs(a, eps):
    out = []
    for i in range(len(a)):
        for j in range(i + 1, len(a)):
            if abs(a[i] - a[j]) < eps:
                out.append((i, j, a[i] - a[j]))
    return out


def evens_and_odds(a):
    ev, od = ([], [])
    for i in range(a.shape[0]):
        if i % 2 == 0:
            ev.append(a[i])
        else:
            od.append((a[i], i))
    return (ev, od)


def filled_until(a, out):
    for i in range(len(a)):
        if a[i] > 0:
            out.append(i)
        if len(out) > 7:
            break
    return len(out)


def asked_for_elements(a):
    out = []
    k = 0
    for x in a:
        if not out:
            out.append(1.5)
        elif out:
            k += 1
    return (out, k)


def next_greater(a):
    st = []
    res = np.zeros(len(a), dtype=np.int64)
    for i in range(len(a)):
        while st and a[st[-1]] < a[i]:
            k = st.pop()
            res[k] = i
        st.append(i)
    while st:
        k = st.pop()
        res[k] = -1
    return res


def sorted_in_place(a):
    stack = [(0, len(a) - 1)]
    while len(stack) > 0:
        lo, hi = stack.pop()
        if lo >= hi:
            continue
        p = a[(lo + hi) // 2]
        i, j = (lo, hi)
        while i <= j:
            while a[i] < p:
                i += 1
            while a[j] > p:
                j -= 1
            if i <= j:
                t = a[i]
                a[i] = a[j]
                a[j] = t
                i += 1
                j -= 1
        stack.append((lo, j))
        stack.append((i, hi))
    return a


def distances_in_a_grid(img):
    n, m = img.shape
    dist = np.full((n, m), -1)
    q = deque([(0, 0)])
    dist[0, 0] = 0
    while q:
        r, c = q.popleft()
        for k in range(4):
            dr = (k == 0) - (k == 1)
            dc = (k == 2) - (k == 3)
            rr, cc = (r + dr, c + dc)
            if (
                0 <= rr < n
                and 0 <= cc < m
                and (img[rr, cc] == 0)
                and (dist[rr, cc] < 0)
            ):
                dist[rr, cc] = dist[r, c] + 1
                q.append((rr, cc))
    return dist


def breadth_first(adj, s):
    n = adj.shape[0]
    seen = np.zeros(n, dtype=np.bool_)
    order = []
    queue = [s]
    seen[s] = True
    while len(queue) > 0:
        u = queue.pop(0)
        order.append(u)
        for v in range(n):
            if adj[u, v] and (not seen[v]):
                seen[v] = True
                queue.append(v)
    return order


def neighbours_of_each(d, eps):
    n = d.shape[0]
    s = 0.0
    for i in range(n):
        nb = []
        for j in range(n):
            if d[i, j] < eps:
                nb.append(j)
        for k in range(len(nb)):
            s += d[i, nb[k]]
        if len(nb) > 1:
            nb[0] = 5
            s += nb[0] * nb[-1]
    return s


def labelled(img):
    n, m = img.shape
    lab = np.zeros((n, m), dtype=np.int64)
    cur = 0
    for i in range(n):
        for j in range(m):
            if img[i, j] and lab[i, j] == 0:
                cur += 1
                stack = [(i, j)]
                lab[i, j] = cur
                while stack:
                    r, c = stack.pop()
                    for dr in range(-1, 2):
                        for dc in range(-1, 2):
                            rr = r + dr
                            cc = c + dc
                            if (
                                0 <= rr < n
                                and 0 <= cc < m
                                and img[rr, cc]
                                and (lab[rr, cc] == 0)
                            ):
                                lab[rr, cc] = cur
                                stack.append((rr, cc))
    return (lab, cur)


def taken_in_an_expression(a):
    st = [1]
    x = 0
    for i in range(len(a)):
        x += st.pop()
    return x


def taken_too_often(a):
    st = [1]
    x = 0
    for i in range(len(a)):
        y = st.pop()
        a[i] = y
        x += y
    return x


def extended_in_front(a):
    st = [1]
    st.extend([2, 3])
    x = 0
    for i in range(len(a)):
        while len(st) > 1:
            x = x * 4 + st.pop()
            a[i] += x
    return x


def taken_in_front(a):
    st = [0]
    _ = st.pop()
    x = 0
    for i in range(len(a)):
        st.append(i)
        while st:
            x += 1
            k = st.pop()
            a[k] += x
            if a[k] < 4.0:
                st.append(k)
    return x, _, st


def peaks(a):
    out = []
    for i in range(1, len(a) - 1):
        if a[i] > a[i - 1] and a[i] > a[i + 1]:
            p = (i, a[i])
            out.append(p)
    return out


def returned_from_the_loop(a, lim):
    out = []
    for i in range(len(a)):
        if a[i] > lim:
            return out
        out.append(a[i] > 0)
    return None


def continued(a):
    out = [0.0]
    for i in range(len(a)):
        out.append(out[-1] + 0.5 * i)
    return out


def looked_at(a):
    out = []
    out.append(0.0)
    s = 0.0
    for i in range(len(a)):
        out.append(out[-1] + 0.5 * i)
        s += out[i] * out[-2]
    return s


def kept_on_top(a):
    st = []
    st.append((0, 1.0))
    for i in range(len(a)):
        if a[i] > 0:
            st.append((i, 2.0 * i))
        elif len(st) > 1:
            st.pop()
        a[i] = st[-1][0] + st[-1][1]
    return a


def taken_and_dropped(a):
    stack = []
    for i in range(len(a)):
        stack.append(i)
        if a[i] > 0 and len(stack) > 2:
            stack.pop()
            stack.append(stack.pop() + 1)
        if stack.pop() > 5:
            stack.append(7)
            stack[0] = i
    return stack


def named_tuples(a):
    todo = [(0, 1.0)]
    total = 0.0
    n = len(a)
    while todo:
        item = todo.pop()
        total += item[1]
        if item[0] < n:
            again = (item[0] + 1, item[1] * 0.5)
            todo.append(again)
            if a[item[0]] > 0.5:
                todo.append((n, 3.0))
    return total


def two_lists(a):
    low = []
    high = [1]
    while len(low) < len(a):
        low.append(high.pop() * 2)
        high.append(low[-1] % 7)
        high.append(low[0] + len(high))
    return low


def a_list_for_some(a):
    """The same name holds a list that stays, and one that is taken from."""
    total = 0
    found = []
    for i in range(len(a)):
        if a[i] > 0:
            found.append(i)
    kept = found
    found = [len(a)]
    while found:
        k = found.pop()
        total += k
        if k > 1:
            found.append(k // 2)
    return kept, total


def in_both_loops(a):
    total = 0
    for i in range(len(a)):
        todo = []
        todo.append(i)
        while todo:
            k = todo.pop()
            total += k
            if k > 2:
                todo.append(k - 3)
                todo.append(k // 2)
        for k in range(i):
            todo.append(k)
        total += len(todo)
    return total


def used_around(a):
    """The inner loops alone are native; what is between them uses the list, too."""
    parts = []
    for i in range(len(a)):
        row = []
        for j in range(i):
            if a[j] < a[i]:
                row.append(j)
        parts.append(sorted(row))
    return parts


def empty_where_it_ends(a):
    queue = [0, 1]
    seen = 0
    while True:
        if not queue:
            break
        k = queue.pop(0)
        seen += k
        if k < len(a) and a[k] > -1:
            queue.append(k + 2)
    return seen


def of_an_own_type(a):
    """What a part is of is known where it is stored alone."""
    out = []
    for i in range(len(a)):
        out.append((i, a[i], a[i] > 0, float(a[i]), i * 0.5, 1j * i))
    return out


def of_several_types(a):
    out = []
    for i in range(len(a)):
        out.append(a[i] if i % 2 else 1.0)
    return out


def types_that_do_not_count(a):
    stack = [1.0]
    k = 0
    for i in range(len(a)):
        stack.append(stack[-1] + a[i])
        if stack[-1] > 1:
            k += 1
    return k


def twice(a):
    """The second loop goes on with what the first has found."""
    out = []
    for i in range(len(a)):
        out.append(i)
    for i in range(len(a)):
        if len(out) < 2 * i:
            out.append(-i)
    return out


def some_more(a, more):
    """Two arguments may be one list."""
    for i in range(len(a)):
        more.append(i)
    return len(more)


def both(a, one, other):
    for i in range(len(a)):
        one.append(i)
        other.append(a[i])
    return len(one)


def caught(a):
    out = []
    try:
        for i in range(5):
            out.append(a[i])
    except IndexError:
        out.append(-1.0)
    return out


def extended(a):
    out = [0]
    for i in range(len(a)):
        out.extend((i, 1))
        if a[i] > 0:
            out.extend([i * 2])
    return out


def by_their_types(a):
    """What is taken off is divided as its type has it, and replaced in its place."""
    stack = [1, 2.0, 3.0]
    total = 0.0
    for i in range(len(a)):
        if a[i] > 0:
            stack.append(a[i])
        elif len(stack) > 1:
            top = stack.pop()
            stack.append(top / 2)
        else:
            stack.append(i)
        total += 1.0 / (stack[-1] + 0.5)
        stack[-1] = stack[-1] * 0.5 if i % 2 else stack[-1]
    return total


def asked_in_expressions(a):
    stack = []
    s = 0
    for i in range(len(a)):
        s += i if not stack else stack[-1]
        s += stack[-2] if len(stack) > 1 else 0
        if not stack or stack[0] < i:
            stack.append(i)
        if a[i] > 0.5 and stack:
            stack.pop()
    return s


def in_groups(a):
    """A list that is begun anew whenever something ends."""
    sizes = []
    group = [0.0]
    for i in range(len(a)):
        if a[i] < 0:
            if len(group) > 1:
                sizes.append((len(group), group[-1]))
            group = []
        group.append(a[i])
    return sizes


def group_that_is_left(a):
    group = []
    for i in range(len(a)):
        if a[i] < 0:
            group = [i]
        elif a[i] > 1 and group:
            group.pop(-1)
        else:
            group.append(i)
    return group


def emptied(a):
    todo = []
    s = 0
    for i in range(len(a)):
        todo.append(i)
        if len(todo) > 3:
            s += todo[1]
            todo.clear()
    return s, len(todo)


def longer_than_at_first(a):
    out = []
    for i in range(len(a)):
        out.append(i)
    for i in range(len(out)):
        out.append(-i)
    return out


def left_in_the_else(a):
    s = 0
    for r in range(len(a)):
        st = [r, 1]
        while st:
            s += st.pop()
            if a[r] > 0:
                break
        else:
            break
        s += 100
    return s


def gone_on_in_the_else(a):
    s = r = 0
    while r < len(a):
        r += 1
        st = [r, 1]
        for i in range(r):
            s += st.pop()
            if i > 0 or not st:
                break
            st.append(i)
        else:
            if a[r - 1] > 0:
                continue
        s += 100
    return s


def made_of_itself(a):
    st = [1, 2, 3]
    s = 0
    for i in range(len(a)):
        st = [st[1], st[2], st[0]]
        s = (s * 10 + st[0]) % 1000003
        st.append(s % 7)
        st.pop()
    return s


def pairs_made_of_themselves(a):
    s = 0
    st = [(1, 2)]
    for i in range(len(a)):
        st = [(st[-1][1], st[-1][0]), (i, st[0][0])]
        st.append((s % 3, i))
        s += st[0][0] * 10 + st[1][1]
    return s


def made_of_what_is_taken(a):
    q = [1, 2, 3]
    s = 0
    while q:
        b = [q.pop()]
        b.append(5)
        s = s * 10 + b[0] + b[-1]
    return s


def one_tuples(a):
    x = 0
    for i in range(len(a)):
        st = [(i,)]
        x = st.pop()
    return x


def taken_from_the_front(a):
    out = []
    for i in range(len(a)):
        out.append(i)
        if len(out) > 3:
            out.pop(0)
    return out


def front_of_a_queue_by_number(a):
    q = deque([1, 2])
    s = 0
    while q:
        s += q.pop(0)
    return s


def back_of_a_queue_by_number(a):
    q = deque([1, 2])
    s = 0
    while q:
        s += q.pop(-1)
    return s


def front_of_a_list(a):
    q = [1]
    s = 0
    while q:
        s += q.popleft()
    return s


class Sized:
    def __init__(self, x):
        self.x = x

    @property
    def n(self):
        return len(self.x)


def counted_by_another(a):
    out = [0]
    p = Sized(out)
    for _ in range(len(a)):
        out.append(p.n)
    return out


def perhaps_the_last(a):
    out = []
    for i in range(len(a)):
        p = out[-1] if out else 0
        out.append(p + a[i])
    return out


def raises_in_between(a, out):
    for i in range(len(a)):
        out.append(i)
        out.append(5 // int(a[i]))


def raises_behind_a_store(a, out):
    s = 0.0
    for i in range(len(a)):
        out.append(i)
        a[i] += 1
        s += a[int(a[i] * 3)]
    return s


def in_turn(a):
    q = deque([1, 2])
    s = 0
    for i in range(100 * len(a)):
        x = q.popleft()
        if not q:
            q.append(i % 5)
        q.append(x + 1 if x < 1000 else 0)
        if len(q) > 3:
            q.popleft()
        s += x
    return s


def from_either_end(a):
    out = []
    s = 0
    for i in range(len(a)):
        out.append(0)
        out[-1 - i] = i
        out.append(i)
        s += out[i - 1]
        s += out[-1] if out and out[-1] > 0 else 1
        s += 2 if not out or out[0] < 0 else out[0]
    return s, out


def beyond_either_end(a):
    out = [1, 2]
    s = 0
    for i in range(len(a)):
        a[i] = out[-i]
        out.append(i)
        a[i] += out[2 * i - 3]
        s += 1
        out.pop(-1)
    return s


def compared_in_turn(a):
    """What is taken behind a comparison that fails is not."""
    stack = []
    k = 0
    for i in range(len(a)):
        stack.append(i)
        stack.append(2 * i)
        if 0 < a[i] < stack.pop():
            k += 1
    return k + len(stack)


def named_on_the_way(a):
    stack = [1, 2, 3]
    k = s = 0
    while k < len(a):
        s += (k := k + 1) + stack[k]
    return s


def far_back(a):
    st = [3, 4]
    k = 0
    while k < len(a) and st and st[-2] > 0:
        st.pop()
        k += 1
    return st, k


def values(n, most=1.0):
    return np.random.default_rng(n).normal(size=n) * most


def table(n):
    return np.abs(np.random.default_rng(n).normal(size=(n, n)))


def positions(a):
    out = []
    for i in range(len(a)):
        if a[i] > 0:
            out.append(i)
    return np.array(out), len(out)


def pairs_of_one_type(a):
    out = []
    for i in range(len(a)):
        if a[i] > 0:
            out.append((a[i], a[i] * 2))
    return np.array(out)


def pairs_of_two_types(a):
    out = []
    for i in range(len(a)):
        if a[i] > 0:
            out.append((i, a[i] * 2))
    return np.array(out)


def as_another_type(a):
    out = []
    for i in range(len(a)):
        out.append(a[i])
    return np.array(out, dtype=np.float32) if len(out) else None


def of_its_name(a):
    out = []
    for i in range(len(a)):
        if a[i] > 0:
            out.append(a[i])
    if len(out) == 0:
        return None
    out = np.asarray(out, dtype=float)
    out *= 2
    return out, out.sum()


def one_in_each_round(a):
    res = []
    for k in range(3):
        out = []
        for i in range(len(a)):
            if a[i] > k:
                out.append(a[i])
        res.append(np.array(out))
    return res


def several_arrays(a):
    out = []
    for i in range(len(a)):
        out.append(a[i] if a[i] > 0 else 1.0)
    first, last = np.array(out), np.array(out)
    first[:1] = 7
    return first, last


def the_same_array_again(a):
    out = []
    for i in range(len(a)):
        out.append(a[i] > 1)
    found = [np.asarray(out) for _ in range(2)]
    found[0][:1] = True
    return found


def array_and_list(a):
    out = []
    for i in range(len(a)):
        out.append(a[i])
    found = np.array(out)
    out.append("x")
    return out, found


def array_of_what_was_there_before_it_raised(a):
    out = []
    try:
        for i in range(len(a)):
            out.append(a[i])
            a[i] += 1
            if a[i] > 2:
                raise ValueError
    except ValueError:
        pass
    return np.array(out), len(out)


def handed_on(a):
    """Two loops share lists, one of which the function gets."""
    queue = []
    later = []
    k = 0
    for i in range(len(a)):
        if a[i] > 0.5:
            queue.append((i, a[i]))
    k += 2
    while queue:
        i, value = queue.pop()
        a[i] = value * k
        if value > 1:
            later.append(i)
    return later, k


def in_two_waves(a):
    now = []
    later = []
    for i in range(len(a)):
        if a[i] > 1:
            now.append(i)
    steps = 0
    while True:
        if not now:
            break
        while now:
            i = now.pop()
            for j in range(max(i - 1, 0), min(i + 2, len(a))):
                if a[j] >= 0:
                    a[j] = -1.0 - steps
                    later.append(j)
        while later:
            k = later.pop()
            now.append(k)
        steps += 1
    return steps, len(now)


def taken_once_too_often(a):
    """What was stored before it raises stays, and so does what is in the list."""
    out = []
    for i in range(len(a)):
        out.append(a[i])
    try:
        for i in range(len(a) + (len(a) == 7)):
            a[i - 1] += out.pop()
    except IndexError:
        return a[0], out
    return out


def seen_in_between(a):
    """Others have the list between the loops."""
    out = []
    for i in range(len(a)):
        out.append(i)
    other = out
    while out:
        a[out.pop()] += 1
    return other


def traced(a):
    """Elements that are tuples are compared with numbers."""
    i, j = len(a) - 1, 2
    way = []
    while True:
        way.append((i, j))
        if way[-1] == (0, 0):
            break
        if j > 0 and a[i] > 0:
            j -= 1
        elif i > 0:
            i -= 1
        else:
            j -= 1
    return way[::-1]


def compared_anywhere(a):
    found = [(2, 1), (0, 0)]
    k = 0
    for i in range(len(a)):
        found.append((i, a[i] > 0))
        if found[i] == (0, 1):
            k += 1
        k += 10 * (found[-2] == (1, 1))
    return k


def of_each(*functions):
    return {function: (lambda n: (values(n),),) for function in functions}


CASES = {
    **of_each(
        evens_and_odds,
        asked_for_elements,
        next_greater,
        sorted_in_place,
        taken_in_an_expression,
        taken_too_often,
        extended_in_front,
        taken_in_front,
        peaks,
        continued,
        looked_at,
        kept_on_top,
        taken_and_dropped,
        named_tuples,
        two_lists,
        a_list_for_some,
        in_both_loops,
        used_around,
        empty_where_it_ends,
        of_an_own_type,
        types_that_do_not_count,
        twice,
        caught,
        of_several_types,
        extended,
        by_their_types,
        asked_in_expressions,
        left_in_the_else,
        gone_on_in_the_else,
        handed_on,
        in_two_waves,
        taken_once_too_often,
        compared_anywhere,
        made_of_itself,
        pairs_made_of_themselves,
        made_of_what_is_taken,
        in_turn,
        perhaps_the_last,
        from_either_end,
        beyond_either_end,
        in_groups,
        group_that_is_left,
        emptied,
        longer_than_at_first,
        positions,
        pairs_of_one_type,
        pairs_of_two_types,
        as_another_type,
        of_its_name,
        one_in_each_round,
        several_arrays,
        the_same_array_again,
        array_and_list,
        array_of_what_was_there_before_it_raised,
    ),
    close_pairs: (lambda n: (values(n), 0.3),),
    filled_until: (lambda n: (values(n), [9.0, "x"]),),
    returned_from_the_loop: (lambda n: (values(n), 0.8),),
    breadth_first: (lambda n: (table(n) > 1.3, 0),),
    distances_in_a_grid: (lambda n: ((table(n) > 1.2).astype(np.int64),),),
    neighbours_of_each: (lambda n: (table(n), 0.5),),
    labelled: (lambda n: (table(n) > 0.8,),),
    traced: (lambda n: (values(n + 1),),),
    raises_in_between: (lambda n: (values(n, 3.0), ["q"]),),
    raises_behind_a_store: (lambda n: (np.abs(values(n)), ["q"]),),
    some_more: (lambda n: (values(n), ["a"]), lambda n: (values(n), [])),
    both: (lambda n: (values(n), [], [1]),),
}
"""Functions, and what makes their arguments for a size."""

PYTHON = (
    *(far_back, compared_in_turn, named_on_the_way, one_tuples, taken_from_the_front),
    *(front_of_a_queue_by_number, back_of_a_queue_by_number, front_of_a_list),
    counted_by_another,
    seen_in_between,
)
"""What stays Python's."""
