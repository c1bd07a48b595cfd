import { parseTime } from '@kubewright/kube';
import type { ReplicaPoint } from './api.ts';

const [WIDTH, HEIGHT] = [800, 300];
const EDGE = { left: 50, right: 20, top: 60, bottom: 40 } as const;

type Line = {
  readonly name: string;
  readonly colour: string;
  readonly dash: string;
  readonly of: (point: ReplicaPoint) => number | undefined;
};

/** Dashes tell them apart where colours do not. */
const LINES: readonly Line[] = [
  { name: 'recommended', colour: '#888888', dash: '2 3', of: ({ recommended }) => recommended },
  { name: 'target', colour: '#c2560c', dash: '8 4', of: ({ target }) => target },
  { name: 'applied', colour: '#1f6f8b', dash: '', of: ({ current }) => current },
];

/** Steps over time: a value holds until the next point, the last one until `now`. Pure; any text is escaped. */
export function plotSvg(title: string, points: readonly ReplicaPoint[], now: Date): string {
  const times = points.map(({ at }) => parseTime(at).getTime());
  const start = Math.min(...times, now.getTime());
  const end = Math.max(...times, now.getTime(), start + 1000);
  const most = Math.max(1, ...points.flatMap((point) => LINES.map((line) => line.of(point) ?? 0)));
  const x = (time: number): number =>
    round(EDGE.left + ((time - start) / (end - start)) * (WIDTH - EDGE.left - EDGE.right));
  const y = (value: number): number =>
    round(HEIGHT - EDGE.bottom - (value / most) * (HEIGHT - EDGE.top - EDGE.bottom));
  const steps = (line: Line): string =>
    pathOf(
      points.flatMap((point, index) => {
        const value = line.of(point);
        const until = times[index + 1] ?? end;
        return value === undefined ? [] : [{ from: x(times[index] ?? start), to: x(until), y: y(value) }];
      }),
    );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    `<text x="${EDGE.left}" y="20" font-size="14">${escapeXml(title)}</text>`,
    ...LINES.flatMap((line, index) => legendOf(line, index)),
    ...ticksOf(most).map((value) => gridOf(value, y(value))),
    ...[start, end].map((time, index) => timeText(time, index === 0)),
    ...LINES.map(
      (line) =>
        `<path d="${steps(line)}" fill="none" stroke="${line.colour}" stroke-width="2" ${dashOf(line)}/>`,
    ),
    '</svg>',
    '',
  ].join('\n');
}

type Step = { readonly from: number; readonly to: number; readonly y: number };

function pathOf(steps: readonly Step[]): string {
  return steps.map(({ from, to, y }, index) => `${index === 0 ? 'M' : 'L'}${from} ${y}H${to}`).join('');
}

function legendOf(line: Line, index: number): readonly string[] {
  const x = EDGE.left + index * 120;
  return [
    `<path d="M${x} 40H${x + 24}" stroke="${line.colour}" stroke-width="2" ${dashOf(line)}/>`,
    `<text x="${x + 30}" y="44">${line.name}</text>`,
  ];
}

function dashOf({ dash }: Line): string {
  return `stroke-dasharray="${dash === '' ? 'none' : dash}"`;
}

/** At most five lines, at whole numbers. */
function ticksOf(most: number): readonly number[] {
  const step = Math.ceil(most / 5);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step);
}

function gridOf(value: number, y: number): string {
  const line = `<path d="M${EDGE.left} ${y}H${WIDTH - EDGE.right}" stroke="#dddddd"/>`;
  return `${line}<text x="${EDGE.left - 8}" y="${y + 4}" text-anchor="end">${value}</text>`;
}

function timeText(time: number, isStart: boolean): string {
  const text = new Date(time).toISOString().replace('T', ' ').slice(0, 19);
  const x = isStart ? EDGE.left : WIDTH - EDGE.right;
  return `<text x="${x}" y="${HEIGHT - 15}" text-anchor="${isStart ? 'start' : 'end'}">${text}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
}
