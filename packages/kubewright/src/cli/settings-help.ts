import { wrapText } from './wrap-text.ts';

/** The settings of operators, each with what it does below it. */
export function settingsHelp(all: readonly (readonly [name: string, help: string])[], width: number): string {
  const intro =
    'Settings of operators, as environment variables or options (--request-ttl 1h for REQUEST_TTL):';
  const settings = all.map(([name, help]) =>
    [`  ${name}`, ...wrapText(help, width - 6).map((part) => `      ${part}`)].join('\n'),
  );
  return [...wrapText(intro, width), ...settings, ''].join('\n');
}
