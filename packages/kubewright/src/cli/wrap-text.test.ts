import { describe, expect, test } from 'vitest';
import { helpWidth, wrapCommand, wrapText } from './wrap-text.ts';

describe('help is as wide as its terminal', () => {
  test('at most 100 columns, and 80 where it is no terminal', () => {
    expect([helpWidth({ width: 60 }), helpWidth({ width: 220 }), helpWidth({})]).toEqual([60, 100, 80]);
  });

  test('text breaks between words', () => {
    expect(wrapText('who owns which field', 10)).toEqual(['who owns', 'which', 'field']);
    expect(wrapText('short', 10)).toEqual(['short']);
  });

  test('a command line breaks before a flag, in a form that shells read', () => {
    expect(wrapCommand('migrate pod a --to node-2 --queue b', 26)).toEqual([
      String.raw`migrate pod a \ `.trimEnd(),
      String.raw`--to node-2 --queue b`,
    ]);
    expect(wrapCommand('drift list -A', 40)).toEqual(['drift list -A']);
  });
});
