import type { ApiRequest } from '@kubewright/kube';

/** A request to a kubelet, whose sender may do what he asks for. */
export type KubeletRequest = Pick<ApiRequest, 'headers' | 'signal'> & {
  readonly method: string;
  /** With the query. */
  readonly path: string;
};
