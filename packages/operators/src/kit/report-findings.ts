import type { CommandStage } from './operator.ts';
import { OperatorError } from '../operator-error.ts';
import { textTable } from './text-table.ts';

/** One result of a check. `unknown`: it could not be made. */
export type Finding = {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed' | 'unknown';
  readonly what: string;
  /** What to do about it. */
  readonly fix?: string;
};

/** Prints what the checks of a doctor have found. Throws if one failed. */
export function reportFindings({ print }: Pick<CommandStage, 'print'>, findings: readonly Finding[]): void {
  print({ json: findings, text: () => describe(findings) });
  const failed = findings.filter(({ status }) => status === 'failed').length;
  if (failed > 0) throw new OperatorError('Failed', `${failed} of ${findings.length} checks failed`);
}

function describe(findings: readonly Finding[]): string {
  const rows = findings.flatMap(({ check, status, what, fix }) => [
    [check, status, what],
    ...(fix === undefined ? [] : [['', '', `what to do: ${fix}`]]),
  ]);
  return textTable([['CHECK', 'STATUS', 'WHAT'], ...rows]);
}
