/** What a help page gets where nothing says how wide it is, and the most that it takes: longer lines are hard to read. */
const USUAL_WIDTH = 80;
const MOST_WIDTH = 100;

/** How many columns help takes on a terminal; without one, what is usual. */
export function helpWidth({ width = USUAL_WIDTH }: { readonly width?: number }): number {
  return Math.min(width, MOST_WIDTH);
}

/** Text in lines of at most so many columns, unless a word is longer. */
export function wrapText(text: string, width: number): readonly string[] {
  return filled(text.split(' '), width);
}

/** A command line, continued as shells continue it; a flag stays with its value. */
export function wrapCommand(line: string, width: number): readonly string[] {
  const parts = line.split(/ (?=-)|(?<! -\S+) (?=')/);
  const lines = filled(parts, width - 2);
  return lines.map((one, index) => (index === lines.length - 1 ? one : `${one} \\`));
}

function filled(words: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
