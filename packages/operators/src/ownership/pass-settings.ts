import { defined } from '@kubewright/kube';
import { flagSetting } from '../kit/list-setting.ts';
import type { Environment } from '../kit/operator.ts';
import { parseDuration } from '../kit/parse-duration.ts';
import { OperatorError } from '../operator-error.ts';
import type { PassSettings } from './manifest-steps.ts';
import { policyFromEnvironment } from './migration-policy.ts';
import { resourceFilter } from './resource-filter.ts';

/** What the process's settings say of each pass. */
export function passSettings(env: Environment): PassSettings {
  return {
    policy: policyFromEnvironment(env),
    disableApply: flagSetting(env['DISABLE_SSA'], false),
    failOpen: flagSetting(env['FAIL_OPEN'], false),
    ...defined({
      selects: resourceFilter(env['RESOURCE_FILTER'] ?? ''),
      defaultInterval: intervalFrom(env['DEFAULT_RECONCILE_INTERVAL']?.trim() ?? ''),
    }),
  };
}

function intervalFrom(text: string): number | undefined {
  if (text === '') return undefined;
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  const message = `DEFAULT_RECONCILE_INTERVAL ${JSON.stringify(text)} is not a duration such as 5m`;
  throw new OperatorError('Usage', message);
}
