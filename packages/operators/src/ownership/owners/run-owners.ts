import { KubeError, type Stored } from '@kubewright/kube';
import { parsePathPattern } from '@kubewright/kube/fields';
import type { CommandCall, CommandRun, CommandStage, CommandTerminal } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import { readManagedFields } from '../read-managed-fields.ts';
import { applierOf } from './applier-of.ts';
import { describeOwners } from './describe-owners.ts';
import { describeRemoval } from './describe-removal.ts';
import { inPatternSyntax } from './field-path/in-pattern-syntax.ts';
import { type FieldPath, resolveFieldPath } from './field-path/resolve-field-path.ts';
import { expectRemoval, findRemoval, type Removal } from './find-removal.ts';
import { readObject, readObjects } from './read-objects.ts';
import { parseTarget, readTarget } from './read-target.ts';
import { ownerFindings } from './owner-findings.ts';

/** `kubewright owners KIND/NAME [PATH]`, of a live object or of one in a file. */
export async function runOwners(call: CommandRun, connect: () => Promise<CommandStage>): Promise<void> {
  const [, text] = call.args;
  if (text !== undefined) checkPath(text);
  return call.options['filename'] === undefined
    ? ofLive(call, connect)
    : ofFile(call, call.options['filename'], call.terminal);
}

async function ofFile(
  { args: [target, text], options }: CommandCall,
  file: string,
  terminal: CommandTerminal,
): Promise<void> {
  const named = target === undefined ? undefined : parseTarget(target);
  if (text === undefined) {
    const objects = await readObjects(file, terminal, named);
    const json = objects.map((object) => ownerFindings(object, undefined, undefined));
    const texts = () => objects.map((object) => describeOwners(object, undefined, terminal.paint));
    return terminal.print({ json, text: () => texts().join('\n') });
  }
  const live = await readObject(file, terminal, named);
  const { claims } = readManagedFields(live);
  const path = resolveFieldPath(text, { live, claims, schema: undefined });
  const manager = options['manager'] ?? applierOf(claims, path.pattern);
  const query = { live, path: path.pattern, manager: manager ?? '' };
  print(live, path, manager === undefined ? undefined : expectRemoval(query), terminal);
}

async function ofLive(
  { args: [target = '', text], options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const named = parseTarget(target);
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
  { paint, print: printResult }: CommandTerminal,
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
