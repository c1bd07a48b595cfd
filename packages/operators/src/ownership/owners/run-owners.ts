import { KubeError, type Stored } from '@kubewright/kube';
import { parsePathPattern } from '@kubewright/kube/fields';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import { readManagedFields } from '../read-managed-fields.ts';
import { applierOf } from './applier-of.ts';
import { describeOwners } from './describe-owners.ts';
import { describeRemoval } from './describe-removal.ts';
import { inPatternSyntax } from './field-path/in-pattern-syntax.ts';
import { type FieldPath, resolveFieldPath } from './field-path/resolve-field-path.ts';
import { findRemoval, type Removal } from './find-removal.ts';
import { parseTarget, readTarget } from './read-target.ts';
import { ownerFindings } from './owner-findings.ts';

/** `kubewright owners KIND/NAME [PATH]`. */
export async function runOwners(
  { args, options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const [target = '', text] = args;
  const named = parseTarget(target);
  if (text !== undefined) checkPath(text);
  const stage = await connect();
  const { ref, live } = await readTarget(named, stage);
  if (text === undefined) return print(live, undefined, undefined, stage);
  const { claims } = readManagedFields(live);
  const path = resolveFieldPath(text, { live, claims, schema: await stage.findSchema(ref) });
  const manager = options['manager'] ?? applierOf(claims, path.pattern);
  if (manager === undefined) return print(live, path, undefined, stage);
  print(live, path, await findRemoval(stage.client, { live, path: path.pattern, manager }), stage);
}

function print(
  live: Stored,
  path: FieldPath | undefined,
  removal: Removal | undefined,
  { paint, print: printResult }: CommandStage,
): void {
  printResult({
    json: ownerFindings(live, path, removal),
    text: () => {
      const owners = describeOwners(live, path, paint);
      if (path === undefined) return owners;
      return `${owners}${removal === undefined ? NOBODY_APPLIES : describeRemoval(removal, paint)}`;
    },
  });
}

const NOBODY_APPLIES = `
Nobody applies this object: an update that leaves the field out removes it, whoever owns it.
--manager NAME says what NAME could remove by an apply.
`;

function checkPath(text: string): void {
  try {
    parsePathPattern(inPatternSyntax(text));
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    const hint = `write it like spec.replicas, data['my.key'] or spec.containers[name="web"].image`;
    throw new OperatorError('Usage', `${error.message}; ${hint}`, { cause: error });
  }
}
