import { autoscalerColumns } from '../../tables/autoscaler-columns.ts';
import type { Declaration } from '../../model/declaration.ts';
import { horizontalPodAutoscaler, horizontalPodAutoscalerStatus } from './horizontal-pod-autoscaler.ts';
import { toV1, toV2 } from './to-v1.ts';
import { v1Strategy } from './v1-strategy.ts';

const NAMES = {
  kind: 'HorizontalPodAutoscaler',
  resource: 'horizontalpodautoscalers',
  short: ['hpa'],
  categories: ['all'],
} as const;

/** `autoscaling/v2`, and `v1` for old clients. */
export const AUTOSCALING_RESOURCES: readonly Declaration[] = [
  {
    ...NAMES,
    apiVersion: 'autoscaling/v2',
    strategy: horizontalPodAutoscaler,
    status: horizontalPodAutoscalerStatus,
  },
  {
    ...NAMES,
    apiVersion: 'autoscaling/v1',
    strategy: v1Strategy(horizontalPodAutoscaler),
    status: v1Strategy(horizontalPodAutoscalerStatus),
    rest: {
      storageVersion: 'v2',
      fromOther: toV1,
      toStorage: toV2,
      columns: autoscalerColumns.map((column) => ({
        ...column,
        value: (object, now) => column.value(toV2(object), now),
      })),
    },
  },
];
