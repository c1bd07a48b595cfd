import type { Condition } from '@kubewright/kube';
import type { LiveAutoscaler } from './observed-class.ts';

type AutoscalingCondition = Pick<Condition, 'type' | 'reason' | 'message'> & { readonly is: boolean };

const TYPE = 'AutoscalingHealthy';

/** `AutoscalingHealthy`, from the first autoscaler on. It gates nothing: replicas that are there serve. */
export function autoscalingCondition(
  autoscalers: readonly LiveAutoscaler[],
  stored: readonly Condition[] = [],
): readonly AutoscalingCondition[] {
  if (autoscalers.length === 0) {
    const wasThere = stored.some(({ type }) => type === TYPE);
    return wasThere ? [{ type: TYPE, is: true, reason: 'NoAutoscaler', message: '' }] : [];
  }
  const broken = autoscalers.flatMap((autoscaler) => troubleOf(autoscaler));
  return [broken[0] ?? { type: TYPE, is: true, reason: 'AutoscalingActive', message: '' }];
}

/** An autoscaler whose target is scaled to zero is disabled, which is fine. */
function troubleOf({ metadata, status }: LiveAutoscaler): readonly AutoscalingCondition[] {
  const found = status?.conditions?.find(
    (condition) =>
      condition.status === 'False' &&
      (condition.type === 'AbleToScale' ||
        (condition.type === 'ScalingActive' && condition.reason !== 'ScalingDisabled')),
  );
  if (found === undefined) return [];
  const message = `HorizontalPodAutoscaler/${metadata.name}: ${found.message ?? ''}`;
  return [{ type: TYPE, is: false, reason: found.reason ?? found.type, message }];
}
