import { EDGES } from '../decide/edges.ts';
import { TABLE } from '../decide/table.ts';

/** The table as lines of text; `marked` is the row to point at. */
export function tableLines(marked?: number): readonly string[] {
  const width = Math.max(...TABLE.map(({ when }) => when.length));
  const phases = Math.max(...TABLE.map(({ phase }) => phase.length));
  return TABLE.map(({ when, phase, does }, index) => {
    const pointer = index === marked ? '>' : ' ';
    const number = String(index + 1).padStart(2);
    return `${pointer} ${number}  ${when.padEnd(width)}  ${phase.padEnd(phases)}  ${does}`.trimEnd();
  });
}

/** The table as Markdown. */
export function tableMarkdown(): string {
  const rows = TABLE.map(({ when, phase, does }, index) => `| ${index + 1} | ${when} | ${phase} | ${does} |`);
  return ['| | when | phase/reason | does |', '|---|---|---|---|', ...rows].join('\n');
}

/** The phases and their transitions as a Mermaid diagram. Deletion is drawn once for all phases, and for none. */
export function phasesMermaid(): string {
  const lines = EDGES.filter(({ from, to }) => from === undefined || to !== 'deleting').map(
    ({ from, to, when }) => `    ${from ?? '[*]'} --> ${to}: ${when}`,
  );
  const last = [
    '    available --> deleting: deleted, from any phase',
    '    deleting --> [*]: all children are gone',
  ];
  return ['```mermaid', 'stateDiagram-v2', ...lines, ...last, '```'].join('\n');
}
