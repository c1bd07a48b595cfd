import { expect, test } from 'vitest';
import { at, timeAt } from './testing/class-bench.ts';
import { plotSvg } from './plot-svg.ts';

const POINTS = [
  { at: timeAt(0), recommended: 1, current: 1 },
  { at: timeAt(60), recommended: 4, target: 3, current: 1 },
  { at: timeAt(180), recommended: 4, target: 3, current: 3 },
];

function pathIn(svg: string, colour: string): string | undefined {
  return new RegExp(`<path d="([^"]*)" fill="none" stroke="${colour}"`).exec(svg)?.[1];
}

test('each value holds until the next one, and the last until now', () => {
  const svg = plotSvg('hello', POINTS, at(360));
  // 360 s are 730 wide, from 50; 4 replicas are 200 high, from 260.
  expect(pathIn(svg, '#1f6f8b')).toBe('M50 210H171.7L171.7 210H415L415 110H780');
  expect(pathIn(svg, '#888888')).toBe('M50 210H171.7L171.7 60H415L415 60H780');
  expect(svg).toContain('2026-01-01 00:00:00');
  expect(svg).toContain('2026-01-01 00:06:00');
});

test('a target begins with enforcement', () => {
  expect(pathIn(plotSvg('hello', POINTS, at(360)), '#c2560c')).toBe('M171.7 110H415L415 110H780');
});

test('text cannot end its element, and a single point is a line', () => {
  const svg = plotSvg('</text><script>', POINTS.slice(0, 1), at(0));
  expect(svg).not.toContain('<script>');
  expect(pathIn(svg, '#1f6f8b')).toBe('M50 60H780');
});
