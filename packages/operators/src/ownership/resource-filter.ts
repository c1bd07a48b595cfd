import { type Json, KubeError, parseJson } from '@kubewright/kube';
import { compileDynamic } from '@kubewright/kube/cel';
import { OperatorError } from '../operator-error.ts';
import type { PassSettings } from './manifest-steps.ts';
import { CEL_VARIABLES, ownerVariables } from './cel-variables.ts';

/**
 * The manifests that a process works on, by `RESOURCE_FILTER` as in the original: CEL over `self`, the manifest, and
 * `composition`. Others are left to other processes; so is one for which the expression fails. Empty means all.
 */
export function resourceFilter(text: string): PassSettings['selects'] {
  if (text.trim() === '') return undefined;
  const compiled = compileDynamic(text, CEL_VARIABLES);
  if ('failure' in compiled) {
    const message = `RESOURCE_FILTER ${JSON.stringify(text)} is not a CEL expression: ${compiled.failure}`;
    throw new OperatorError('Usage', message);
  }
  return (manifest, composition) => {
    try {
      const self: Json = parseJson(manifest);
      return compiled.evaluate({ ...ownerVariables(composition), self, pathManagedByEno: false }) === true;
    } catch (error) {
      if (error instanceof KubeError) return false;
      throw error;
    }
  };
}
