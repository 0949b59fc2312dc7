// Which runs of `*`, `_` and `~` pair up. Pure.

/** The tokens with every run of marks resolved into openings, closings and plain text. */
export function pairEmphasis(tokens) {
  const runs = tokens.map((token) => (token.marks ? { ...token, left: token.marks.length } : null));
  const spans = tokens.map(() => ({ opens: [], closes: [] }));
  const open = { "*": [], _: [], "~": [] };
  runs.forEach((run, at) => {
    if (run === null) return;
    const mark = run.marks[0];
    if (run.canClose) close(run, at, open, runs, spans);
    if (run.canOpen && run.left > 0) open[mark].push(at);
  });
  return tokens.flatMap((token, at) => (runs[at] ? resolved(runs[at], spans[at]) : [token]));
}

/** Close as many spans as the run has marks for, the innermost first. */
function close(run, at, open, runs, spans) {
  const waiting = open[run.marks[0]];
  while (run.left > 0) {
    const openedAt = waiting.findLast((index) => kindOf(runs[index], run) !== null);
    if (openedAt === undefined) return;
    const opener = runs[openedAt];
    const kind = kindOf(opener, run);
    const width = kind === "strike" ? run.left : kind === "strong" ? 2 : 1;
    spans[openedAt].opens.unshift(kind);
    spans[at].closes.push(kind);
    opener.left -= width;
    run.left -= width;
    dropInside(open, openedAt);
    if (opener.left === 0) waiting.pop();
  }
}

/** The span that the two runs make, or null when they do not belong together. */
function kindOf(opener, closer) {
  return isOdd(opener, closer) ? null : spanKind(opener.marks[0], opener.left, closer.left);
}

/** CommonMark's rule of three: `*a**b*` is one span around two literal stars. */
function isOdd(opener, closer) {
  if (!opener.canClose && !closer.canOpen) return false;
  const [first, second] = [opener.marks.length, closer.marks.length];
  return (first + second) % 3 === 0 && (first % 3 !== 0 || second % 3 !== 0);
}

/** Two marks make strong, one makes emphasis; `~~` and `~` both strike. */
function spanKind(mark, openerLeft, closerLeft) {
  const width = Math.min(openerLeft, closerLeft);
  if (mark === "~") return openerLeft === closerLeft && width <= 2 ? "strike" : null;
  return width >= 2 ? "strong" : "em";
}

/** Runs inside a closed span can open nothing outside of it. */
function dropInside(open, openedAt) {
  for (const waiting of Object.values(open)) {
    while (waiting.length > 0 && waiting.at(-1) > openedAt) waiting.pop();
  }
}

function resolved(run, span) {
  const text = { text: run.marks[0].repeat(run.left) };
  const closes = span.closes.map((kind) => ({ closes: kind }));
  const opens = span.opens.map((kind) => ({ opens: kind }));
  return [...closes, text, ...opens];
}
