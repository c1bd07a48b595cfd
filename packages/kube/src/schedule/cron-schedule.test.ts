import { describe, expect, it } from 'vitest';
import { errorText } from '../error-text.ts';
import { formatTime } from '../object/format-time.ts';
import { parseCronSchedule } from './cron-schedule.ts';
import { nextDue } from './next-due.ts';
import { formatTimeIn, isTimeZone } from './zone-offset.ts';

/** The next `count` times after `from`. */
function due(text: string, from: string, count = 3, zone?: string): readonly string[] {
  const schedule = parseCronSchedule(text, zone);
  const times: string[] = [];
  let time: number | undefined = Date.parse(from);
  while (times.length < count && time !== undefined) {
    time = nextDue(schedule, time);
    if (time !== undefined) times.push(formatTime(new Date(time)).replace(':00Z', ''));
  }
  return times;
}

const problem = (text: string): string => {
  try {
    parseCronSchedule(text);
    return 'none';
  } catch (error) {
    return errorText(error);
  }
};

describe('a cron schedule', () => {
  it.each([
    ['*/15 * * * *', ['2026-01-01T00:15', '2026-01-01T00:30', '2026-01-01T00:45']],
    ['5,10-12/2 3 * * ?', ['2026-01-01T03:05', '2026-01-01T03:10', '2026-01-01T03:12']],
    ['50/4 * * * *', ['2026-01-01T00:50', '2026-01-01T00:54', '2026-01-01T00:58']],
    ['0 0 1 jan,JUL *', ['2026-07-01T00:00', '2027-01-01T00:00', '2027-07-01T00:00']],
    // Either kind of day will do, where both are named; a step over all days names them too.
    ['0 12 13 * fri', ['2026-01-02T12:00', '2026-01-09T12:00', '2026-01-13T12:00']],
    ['0 12 */10 * mon', ['2026-01-01T12:00', '2026-01-05T12:00', '2026-01-11T12:00']],
    ['0 12 * * mon', ['2026-01-05T12:00', '2026-01-12T12:00', '2026-01-19T12:00']],
    ['30 6 29 2 *', ['2028-02-29T06:30', '2032-02-29T06:30', '2036-02-29T06:30']],
    ['0 0 31 2 *', []],
    ['@weekly', ['2026-01-04T00:00', '2026-01-11T00:00', '2026-01-18T00:00']],
    ['@yearly', ['2027-01-01T00:00', '2028-01-01T00:00', '2029-01-01T00:00']],
    ['@every 1h30m0.9s', ['2026-01-01T01:30', '2026-01-01T03:00', '2026-01-01T04:30']],
    ['TZ=Asia/Kolkata 30 5 * * *', ['2026-01-02T00:00', '2026-01-03T00:00', '2026-01-04T00:00']],
  ])('%s is due at %j', (text, times) => {
    expect(due(text, '2026-01-01T00:00:00Z')).toEqual(times);
  });

  it('is due at the next whole minute, not at this one', () => {
    expect(due('* * * * *', '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-01T00:01']);
    expect(due('* * * * *', '2026-01-01T00:00:59.999Z', 1)).toEqual(['2026-01-01T00:01']);
    expect(due('* * * * *', '2025-12-31T23:59:59.999Z', 1)).toEqual(['2026-01-01T00:00']);
  });

  it('knows no time that the clock skips, and twice the one that it repeats', () => {
    // Berlin has no 02:30 on 29 March, and two on 25 October.
    expect(due('30 2 * * *', '2026-03-28T00:00:00Z', 2, 'Europe/Berlin')).toEqual([
      '2026-03-28T01:30',
      '2026-03-30T00:30',
    ]);
    expect(due('30 2 * * *', '2026-10-24T12:00:00Z', 3, 'Europe/Berlin')).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:30',
      '2026-10-26T01:30',
    ]);
    expect(due('0 0 * * mon', '2026-03-27T00:00:00Z', 1, 'Europe/Berlin')).toEqual(['2026-03-29T22:00']);
    // In Beirut it is the midnight that is skipped.
    expect(due('0 0 29 3 *', '2026-03-28T00:00:00Z', 1, 'Asia/Beirut')).toEqual(['2027-03-28T21:00']);
    expect(due('15 1 29 3 *', '2026-03-28T00:00:00Z', 1, 'Asia/Beirut')).toEqual(['2026-03-28T22:15']);
    // The rest of such a day is there: robfig/cron leaves out all of that Friday in Cairo.
    expect(due('0 12 * * fri', '2027-04-28T00:00:00Z', 1, 'Africa/Cairo')).toEqual(['2027-04-30T09:00']);
  });

  it.each([
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['', 'empty spec string'],
    ['61 * * * *', 'end of range (61) above maximum (59): 61'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['* * * * -', 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
    ['@never', 'unrecognized descriptor: @never'],
    ['@every x', 'failed to parse duration @every x: time: invalid duration "x"'],
    ['@every 5', 'failed to parse duration @every 5: time: missing unit in duration "5"'],
    ['@every 5x', 'failed to parse duration @every 5x: time: unknown unit "x" in duration "5x"'],
    ['TZ=0', 'invalid schedule format: runtime error: slice bounds out of range [:-1]'],
    ['TZ=Mars/Base * * * * *', 'provided bad location Mars/Base: unknown time zone Mars/Base'],
  ])('cannot be %j: %s', (text, words) => {
    expect(problem(text)).toBe(words);
  });
});

describe('a time zone', () => {
  it.each([
    ['Europe/Berlin', true],
    ['US/Eastern', true],
    ['UTC', true],
    ['Etc/GMT+5', true],
    ['europe/berlin', false],
    ['+01:00', false],
    ['Mars/Base', false],
  ])('%s: %s', (name, known) => {
    expect(isTimeZone(name)).toBe(known);
  });

  it('tells its offset', () => {
    const time = Date.parse('2026-07-01T12:00:00Z');
    expect(['UTC', 'Europe/Berlin', 'America/St_Johns'].map((zone) => formatTimeIn(zone, time))).toEqual([
      '2026-07-01T12:00:00Z',
      '2026-07-01T14:00:00+02:00',
      '2026-07-01T09:30:00-02:30',
    ]);
  });
});

it('rejects a delay that is no duration, in time that grows as its text', () => {
  expect(() => parseCronSchedule(`@every ${'11s'.repeat(27)}!`)).toThrow('time: unknown unit "s!"');
  expect(() => parseCronSchedule(`@every ${'1'.repeat(300_000)}`)).toThrow('missing unit in duration');
});
