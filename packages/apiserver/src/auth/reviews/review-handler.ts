import type { KubeObject } from '@kubewright/kube';
import type { UserInfo } from '../../request/user-info.ts';

/** The review with its status, for the user who sent it. May throw an `ApiServerError`. */
export type ReviewHandler = (request: { readonly user: UserInfo }, review: KubeObject) => KubeObject;
