/** A cell of the drawing, in pixels. */
const CELL = { width: 8, height: 18 } as const;
const MARGIN = 16;
const LINE = '#57606a';

/** Which sides of its cell a character has a line to: up, right, down, left. */
const SIDES: Readonly<Record<string, string>> = {
  '─': 'rl',
  '│': 'ud',
  '┌': 'rd',
  '┐': 'dl',
  '└': 'ur',
  '┘': 'ul',
  '├': 'urd',
  '┤': 'udl',
  '┬': 'rdl',
  '┴': 'url',
  '┼': 'urdl',
  '▶': 'l',
  '◀': 'r',
  '▲': 'd',
  '▼': 'u',
};
/** The tip of an arrow, from the middle of its cell. */
const TIPS: Readonly<Record<string, string>> = {
  '▶': 'm4 0l-8 -5v10z',
  '◀': 'm-4 0l8 -5v10z',
  '▲': 'm0 -5l-5 9h10z',
  '▼': 'm0 5l-5 -9h10z',
};

/** An SVG of a drawing in box characters: lines and arrows become shapes, all else is text. The first line is its title. */
export function renderPicture(source: string): string {
  const [title = '', ...lines] = source.trimEnd().split('\n');
  const grid = lines.map((line) => Array.from(line));
  const columns = Math.max(...grid.map((row) => row.length));
  const [width, height] = [columns * CELL.width + 2 * MARGIN, grid.length * CELL.height + 2 * MARGIN];
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" font-family="ui-monospace, monospace" font-size="13" role="img" aria-labelledby="title">`,
    `  <title id="title">${escaped(title.replace(/^# /, ''))}</title>`,
    `  <rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `  <path stroke="${LINE}" fill="none" stroke-linecap="square" d="${linesOf(grid, columns).join('')}"/>`,
    `  <path fill="${LINE}" d="${tipsOf(grid).join('')}"/>`,
    '  <g fill="#1b1f24">',
    ...grid.flatMap(textsOf),
    '  </g>',
    '</svg>',
  ].join('\n')}\n`;
}

type Grid = readonly (readonly string[])[];

function linesOf(grid: Grid, columns: number): readonly string[] {
  const has = (row: number, column: number, side: string): boolean =>
    (SIDES[grid[row]?.[column] ?? ''] ?? '').includes(side);
  const across = grid.flatMap((_, row) =>
    runsOf(columns, (column, side) => has(row, column, side === 0 ? 'l' : 'r')).map(
      ([from, to]) =>
        `M${MARGIN + from * CELL.width} ${middle(row, CELL.height)}H${MARGIN + to * CELL.width}`,
    ),
  );
  const down = Array.from({ length: columns }, (_, column) =>
    runsOf(grid.length, (row, side) => has(row, column, side === 0 ? 'u' : 'd')).map(
      ([from, to]) =>
        `M${middle(column, CELL.width)} ${MARGIN + from * CELL.height}V${MARGIN + to * CELL.height}`,
    ),
  );
  return [...across, ...down.flat()];
}

/** Where lines begin and end, in cells: each cell has a first and a second half that may have a line. */
function runsOf(
  cells: number,
  isDrawn: (cell: number, half: 0 | 1) => boolean,
): readonly (readonly [from: number, to: number])[] {
  const runs: (readonly [number, number])[] = [];
  let start: number | undefined;
  for (let half = 0; half <= cells * 2; half += 1) {
    const drawn = isDrawn(Math.floor(half / 2), half % 2 === 0 ? 0 : 1);
    if (drawn) start ??= half / 2;
    else if (start !== undefined) runs.push([start, half / 2]);
    if (!drawn) start = undefined;
  }
  return runs;
}

function tipsOf(grid: Grid): readonly string[] {
  return grid.flatMap((line, row) =>
    line.flatMap((character, column) => {
      const tip = TIPS[character];
      return tip === undefined ? [] : [`M${middle(column, CELL.width)} ${middle(row, CELL.height)}${tip}`];
    }),
  );
}

function middle(cell: number, size: number): number {
  return MARGIN + (cell + 0.5) * size;
}

/** Words that are one space apart are one text, as wide as its cells whatever the font. */
function textsOf(line: readonly string[], row: number): readonly string[] {
  const plain = line.map((one) => (one in SIDES ? ' ' : one)).join('');
  return [...plain.matchAll(/\S+(?: \S+)*/g)].map(({ 0: text, index }) => {
    const [x, y] = [MARGIN + index * CELL.width, MARGIN + row * CELL.height + 13];
    const width = text.length * CELL.width;
    return `    <text x="${x}" y="${y}" textLength="${width}" lengthAdjust="spacingAndGlyphs">${escaped(text)}</text>`;
  });
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
