import { s } from '@kubewright/kube';

/** Fields of definitions with nothing but a description, which `kubectl explain` shows. */
export const described = {
  text: (description: string) => s.string({ description }),
  flag: (description: string) => s.boolean({ description }),
  time: (description: string) => s.time({ description }),
  /** Never less than 0. */
  count: (description: string) => s.integer({ minimum: 0, description }),
  /** May be beyond 2^53. */
  int64: (description: string) => s.integer({ format: 'int64', description }),
  port: (description: string) => s.integer({ minimum: 1, maximum: 65535, description }),
} as const;
