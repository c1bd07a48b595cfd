import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SETTING_NAMES } from './setting-names.ts';
import { readSettings, settingsFor } from './settings.ts';
import { classOf } from './testing/class-bench.ts';

const README = readFileSync(new URL('README.md', import.meta.url), 'utf8');
const TIMERS = Object.entries(SETTING_NAMES).filter(([name]) => /_(?:SECS|RESTARTS|RANGE)$/.test(name));
/** Of the process only. */
const NOT_OF_CLASSES = ['OPRC_CRM_RESYNC_SECS', 'OPRC_CRM_PROM_QUERY_TIMEOUT_SECS', 'OPRC_CRM_PROM_RANGE'];

describe('timers', () => {
  test.each(TIMERS)(
    '%s is in the README, as variable, flag, field of spec.timeouts and with its default',
    (name, text) => {
      const [, does = '', byDefault = ''] = /^(.*); default (.*)$/.exec(text) ?? [];
      const flag = `--${name.toLowerCase().replaceAll('_', '-')}`;
      const field = NOT_OF_CLASSES.includes(name) ? '' : `\`${fieldOf(name)}\``;
      expect(README).toContain(`| \`${name}\` | \`${flag}\` | ${field} | ${byDefault} | ${does} |`);
    },
  );

  test.each(TIMERS.filter(([name]) => !NOT_OF_CLASSES.includes(name)))(
    '%s holds for all classes, and a class may say otherwise',
    (name) => {
      const process = readSettings({ [name]: '77' });
      expect(changed(process)).toEqual([77]);
      const runtime = classOf();
      const spec = { ...runtime.spec, timeouts: { [fieldOf(name)]: 78 } };
      expect(changed(settingsFor(process, { ...runtime, spec }))).toEqual([78]);
    },
  );

  test.each(['-1', 'soon', 'Infinity', ''])(
    'what is no number of seconds (%j) leaves the default',
    (value) => {
      expect(readSettings({ OPRC_CRM_CACHE_LAG_SECS: value }).cacheLag).toBe(5);
    },
  );
});

function fieldOf(name: string): string {
  return name.replace('OPRC_CRM_', '').toLowerCase();
}

/** The values that are not the default. */
function changed(settings: object): readonly unknown[] {
  const defaults = new Map<string, unknown>(Object.entries(readSettings({})));
  return Object.entries(settings).flatMap(([name, value]) => (defaults.get(name) === value ? [] : [value]));
}
