// Draws a terminal's screen as an SVG, for scripts/gallery.mjs.

const COLORS = {
  30: '#6e7681',
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#76e3ea',
  37: '#e6edf3',
  90: '#8b949e',
};
/** The usual colours of a light terminal. */
const LIGHT_COLORS = {
  30: '#24292f',
  31: '#cf222e',
  32: '#116329',
  33: '#4d2d00',
  34: '#0969da',
  35: '#8250df',
  36: '#1b7c83',
  37: '#6e7781',
  90: '#57606a',
};
const ESC = '\\u001b';
const CELL = { width: 8.4, height: 19, margin: 20 };

/** Returns an SVG of the terminal's screen, without empty lines at its end. */
export function drawScreen({ buffer: { active }, rows, cols }, isLight = false) {
  const lines = Array.from({ length: rows }, (_, row) => {
    const line = active.getLine(active.viewportY + row);
    return Array.from({ length: cols }, (_, column) => styled(line.getCell(column))).join('');
  }).map((line) => line.replace(new RegExp(`(${ESC}\\[0m +)+$`), ''));
  while (lines.at(-1)?.trim() === '') lines.pop();
  const drawn = draw(lines, cols);
  return isLight ? onWhite(drawn) : drawn;
}

function onWhite(drawn) {
  const codes = new Map(Object.entries(COLORS).map(([code, color]) => [color, LIGHT_COLORS[code]]));
  const inks = new Map([...codes, ['#e6edf3', '#1f2328'], ['#0d1117', '#ffffff']]);
  // Dim text keeps a contrast of 4.5 on white.
  return drawn
    .replaceAll('fill-opacity="0.6"', 'fill-opacity="0.7"')
    .replace(/fill="(#[0-9a-f]{6})"/g, (_all, color) => `fill="${inks.get(color) ?? color}"`);
}

function styled(cell) {
  const codes = [0];
  if (cell.isBold()) codes.push(1);
  if (cell.isDim()) codes.push(2);
  if (cell.isFgPalette()) {
    const color = cell.getFgColor();
    codes.push(color < 8 ? 30 + color : 82 + color);
  }
  const mark = `\u001b[${codes.join(';')}m`;
  return `${mark}${cell.getChars() || ' '}`;
}

function escapeXml(text) {
  return text.replace(/[&<>]/g, (mark) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[mark]);
}

function apply(style, codes) {
  let next = style;
  for (const code of codes.split(';').map(Number)) {
    if (code === 0) next = {};
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 2) next = { ...next, dim: true };
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code === 39) next = { ...next, color: undefined };
    else if (COLORS[code]) next = { ...next, color: COLORS[code] };
  }
  return next;
}

/** Splits a line into runs of one style each. */
function runsOf(line) {
  const parts = line.split(new RegExp(`${ESC}\\[([0-9;]*)m`));
  let style = {};
  const runs = [];
  for (const [index, part] of parts.entries()) {
    const last = runs.at(-1);
    if (index % 2 === 1) style = apply(style, part || '0');
    else if (last && JSON.stringify(last.style) === JSON.stringify(style)) last.text += part;
    else if (part !== '') runs.push({ text: part, style });
  }
  return runs;
}

function drawLine(line, row) {
  const y = CELL.margin + (row + 1) * CELL.height;
  let column = 0;
  const spans = runsOf(line).map(({ text, style }) => {
    const x = CELL.margin + column * CELL.width;
    column += [...text].length;
    const look = `${style.color ? ` fill="${style.color}"` : ''}${style.bold ? ' font-weight="bold"' : ''}${style.dim ? ' fill-opacity="0.6"' : ''}`;
    return `<tspan x="${x.toFixed(1)}" textLength="${([...text].length * CELL.width).toFixed(1)}"${look}>${escapeXml(text)}</tspan>`;
  });
  return spans.length === 0 ? '' : `<text y="${y}" xml:space="preserve">${spans.join('')}</text>`;
}

function draw(lines, columns) {
  const width = Math.ceil(columns * CELL.width + 2 * CELL.margin);
  const height = Math.ceil((lines.length + 0.6) * CELL.height + 2 * CELL.margin);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#e6edf3">
<rect width="100%" height="100%" rx="10" fill="#0d1117"/>
${lines.map(drawLine).filter(Boolean).join('\n')}
</svg>
`;
}
