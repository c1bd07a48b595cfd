import type { Declaration } from '../define.ts';
import { horizontalPodAutoscaler, horizontalPodAutoscalerStatus } from './horizontal-pod-autoscaler.ts';

/** `autoscaling/v2`. */
export const AUTOSCALING: readonly Declaration[] = [
  {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    resource: 'horizontalpodautoscalers',
    short: ['hpa'],
    categories: ['all'],
    strategy: horizontalPodAutoscaler,
    status: horizontalPodAutoscalerStatus,
  },
];
