import { defined, type JsonObject, stringifyJson } from '@kubewright/kube';
import type { ApplyOptions, DeleteOptions, ListOptions, WatchOptions } from './client.ts';

type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** Query parameters of a write. */
export function writeParameters(options: ApplyOptions, fieldOwner: string | undefined): Parameters {
  return {
    fieldManager: options.fieldManager ?? fieldOwner,
    fieldValidation: options.fieldValidation,
    dryRun: options.dryRun === true ? 'All' : undefined,
    force: options.force === true ? true : undefined,
  };
}

/** Query parameters of a list, or of the part of it that a watch shares. */
export function listParameters(options: ListOptions): Parameters {
  return {
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    limit: options.limit,
    continue: options.continue,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
  };
}

export function watchParameters(options: WatchOptions): Parameters {
  return {
    watch: true,
    ...listParameters(options),
    allowWatchBookmarks: options.allowWatchBookmarks,
    sendInitialEvents: options.sendInitialEvents,
    timeoutSeconds: options.timeoutSeconds,
  };
}

/** The body of a delete; `undefined` where no option is set. */
export function deleteBody(options: DeleteOptions): string | undefined {
  const { propagationPolicy, gracePeriodSeconds, preconditions, dryRun } = options;
  const body: JsonObject = {
    ...defined({ propagationPolicy, gracePeriodSeconds, preconditions }),
    ...(dryRun === true ? { dryRun: ['All'] } : {}),
  };
  if (Object.keys(body).length === 0) return undefined;
  return stringifyJson({ kind: 'DeleteOptions', apiVersion: 'v1', ...body });
}
