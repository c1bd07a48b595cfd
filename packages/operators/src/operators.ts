import type { Operator } from './kit/operator.ts';
// Apart from this file, so that an operator is one line there.
import * as list from './operator-list.ts';

export type { CommandCall, CommandStage, Operator, OperatorCommand } from './kit/operator.ts';

/** All operators, in the order of their names. An entry of its own: the command line's help needs no more than this. */
export const OPERATORS: readonly Operator[] = Object.values(list);
