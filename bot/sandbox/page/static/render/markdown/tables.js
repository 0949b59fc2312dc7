// Tables in Markdown: a head, a line of dashes with the alignments, rows. Pure.

const DELIMITER = /^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

/** The table that begins at this line with the line after it, or null. */
export function readTable(lines, at) {
  if (!lines[at].includes("|") || !DELIMITER.test(lines[at + 1] ?? "")) return null;
  const head = cells(lines[at]);
  const alignments = cells(lines[at + 1]).map(alignment);
  if (head.length !== alignments.length) return null;
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|")) end += 1;
  const rows = lines.slice(at + 2, end).map((line) => fitted(cells(line), head.length));
  return [{ kind: "table", head, alignments, rows }, end];
}

/** The cells of a row; a bar in code or behind a backslash does not part them. */
function cells(line) {
  const inner = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  const found = [];
  let cell = "";
  for (const part of inner.match(/\\.|`[^`]*`|\||[^\\|`]+|[\\`]/g) ?? []) {
    if (part === "|") {
      found.push(cell.trim());
      cell = "";
    } else cell += part === "\\|" ? "|" : part;
  }
  return [...found, cell.trim()];
}

function fitted(row, width) {
  return Array.from({ length: width }, (_, column) => row[column] ?? "");
}

function alignment(dashes) {
  if (dashes.startsWith(":") && dashes.endsWith(":")) return "center";
  return dashes.endsWith(":") ? "right" : "left";
}
