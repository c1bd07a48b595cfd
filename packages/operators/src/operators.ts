import type { Operator } from './kit/operator.ts';
// In a file of its own, so that adding an operator is one line there.
import * as list from './operator-list.ts';

export { printable } from './kit/paint.ts';
export type { CommandCall, CommandStage, Operator, OperatorCommand, ResourceNames } from './kit/operator.ts';

/** All operators, sorted by name. A package entry of its own, because the command line's help loads nothing else. */
export const OPERATORS: readonly Operator[] = Object.values(list);
