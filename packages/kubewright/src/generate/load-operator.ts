import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorText, isJsonObject, type Json, type KubeObject } from '@kubewright/kube';
import { KubewrightError } from '../kubewright-error.ts';

/** What the module of a manager exports as `operator`. */
export type OperatorModule = {
  /** Of its Deployment, Service and account. */
  readonly name: string;
  readonly definitions: readonly KubeObject[];
  /** Their services have the path alone, if any: the rest is the manager's. */
  readonly webhooks: readonly KubeObject[];
};

const NAME = /^[a-z]([a-z0-9-]{0,40}[a-z0-9])?$/;

/** Runs a module of a project, in TypeScript or JavaScript, for its export `operator`. */
export async function loadOperator(file: string, cwd: string): Promise<OperatorModule> {
  const path = resolve(cwd, file);
  try {
    if (/\.[cm]?ts$/.test(path)) await readTypeScript(cwd);
    const { operator } = (await import(pathToFileURL(path).href)) as { readonly operator?: Json };
    return checked(operator);
  } catch (error) {
    throw new KubewrightError('File', `cannot read the operator of ${file}: ${errorText(error)}`, {
      cause: error,
    });
  }
}

/** By the project's own tsx; without it by what Node knows itself, as from Node 22.18 on. */
async function readTypeScript(cwd: string): Promise<void> {
  const require = createRequire(join(cwd, 'package.json'));
  let path: string;
  try {
    path = require.resolve('tsx');
  } catch (error) {
    if ('typescript' in process.features && process.features.typescript !== false) return;
    throw fault('to read TypeScript, this Node.js needs tsx (npm install --save-dev tsx)', { cause: error });
  }
  // It registers itself, as of `node --import tsx`.
  await import(pathToFileURL(path).href);
}

const KINDS = new Set([
  'CustomResourceDefinition',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
]);

function checked(operator: Json | undefined): OperatorModule {
  if (!isJsonObject(operator)) throw fault('it exports no `operator` with name, definitions and webhooks');
  const { name, definitions = [], webhooks = [] } = operator;
  if (typeof name !== 'string' || !NAME.test(name)) throw fault('the name of `operator` is no DNS label');
  return { name, definitions: objectsOf(definitions), webhooks: objectsOf(webhooks) };
}

function objectsOf(list: Json): readonly KubeObject[] {
  const isOne = (one: Json): boolean =>
    isJsonObject(one) && typeof one['kind'] === 'string' && KINDS.has(one['kind']);
  if (!Array.isArray(list) || !list.every(isOne))
    throw fault(`\`definitions\` and \`webhooks\` are lists of ${[...KINDS].join(', ')}`);
  return list as readonly KubeObject[];
}

const fault = (message: string, options?: ErrorOptions): KubewrightError =>
  new KubewrightError('File', message, options);
