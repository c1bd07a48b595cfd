import { wrapText } from './wrap-text.ts';
import type { CommandCall, OperatorCommand } from '@kubewright/operators/list';

/** Of every command: [code, what it means]. Documented in the README of this package, too. */
export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'done; of a server: stopped by a signal'],
  [
    1,
    'an error, also where --yes is missing; or what the command looks for: a difference, a denial, a fault',
  ],
  [2, 'an error of a command whose 1 is a result: drift plan, capture diff, and with --exit-code'],
  [130, 'interrupted; what is left behind is on stderr'],
];

/** Where 1 is a result, errors are something else. */
export function errorExitCode(
  { errorExitCode: declared, finds }: OperatorCommand,
  options: CommandCall['options'] | Readonly<Record<string, unknown>>,
): number | undefined {
  return finds !== undefined && options['exitCode'] !== undefined ? 2 : declared;
}

/** What follows the examples in `kubewright --help`. */
export function exitCodesHelp(width: number): string {
  const lines = EXIT_CODES.flatMap(([code, meaning]) =>
    wrapText(meaning, width - 7).map((part, index) => `  ${(index === 0 ? `${code}` : '').padEnd(5)}${part}`),
  );
  return `\nExit codes:\n${lines.join('\n')}`;
}
