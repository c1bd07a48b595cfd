import { createManualClock } from '@kubewright/client';
import { describe, expect, it } from 'vitest';
import { configMap } from '../testing/objects.ts';
import { EventCorrelator } from './event-correlator.ts';
import type { EventNote } from './event-note.ts';

const note = (message: string, more: Partial<EventNote> = {}): EventNote => ({
  type: 'Normal',
  reason: 'Made',
  message,
  ...more,
});

function setUp() {
  const clock = createManualClock();
  const correlator = new EventCorrelator(clock);
  const tell = (message: string, more: Partial<EventNote> = {}, name = 'a'): string => {
    const told = correlator.correlate(configMap(name, '1'), note(message, more));
    return told === undefined ? 'dropped' : `${told.note.message} ×${told.count}`;
  };
  return { clock, tell };
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i + 1);

describe('events', () => {
  it('that say the same of the same are counted', () => {
    const { tell } = setUp();
    expect(tell('x')).toBe('x ×1');
    expect(tell('x')).toBe('x ×2');
    expect(tell('x', {}, 'another object')).toBe('x ×1');
    expect(tell('x', { reason: 'Other' })).toBe('x ×1');
    expect(tell('x', { type: 'Warning' })).toBe('x ×1');
    expect(tell('x')).toBe('x ×3');
  });

  it('that differ in their message only are joined from the tenth on', () => {
    const { tell } = setUp();
    for (const i of numbers(9)) expect(tell(`m${i}`)).toBe(`m${i} ×1`);
    expect(tell('m10')).toBe('(combined from similar events): m10 ×1');
    expect(tell('m11')).toBe('(combined from similar events): m11 ×2');
    expect(tell('m1')).toBe('m1 ×2');
  });

  it('are told apart again when ten minutes were quiet', async () => {
    const { tell, clock } = setUp();
    for (const i of numbers(10)) tell(`m${i}`);
    await clock.advance(600_000);
    expect(tell('m11')).toMatch(/combined/);
    await clock.advance(600_001);
    expect(tell('m12')).toBe('m12 ×1');
  });

  it('are dropped beyond 25 of one object and type, but counted, and let through again every five minutes', async () => {
    const { tell, clock } = setUp();
    for (const i of numbers(25)) expect(tell('x')).toBe(`x ×${i}`);
    expect(tell('x')).toBe('dropped');
    expect(tell('other')).toBe('dropped');
    expect(tell('x', { type: 'Warning' })).toBe('x ×1');
    expect(tell('x', {}, 'another object')).toBe('x ×1');
    await clock.advance(299_999);
    expect(tell('x')).toBe('dropped');
    await clock.advance(1);
    expect(tell('x')).toBe('x ×28');
    expect(tell('x')).toBe('dropped');
  });

  it('of more than 4096 series are forgotten, the oldest first', () => {
    const { tell } = setUp();
    for (const i of numbers(4097)) tell('x', {}, `object-${i}`);
    expect(tell('x', {}, 'object-1')).toBe('x ×1');
    expect(tell('x', {}, 'object-4097')).toBe('x ×2');
  });
});
