import type { UserInfo } from '@kubewright/apiserver';
import { type Component, type ControllersOptions, startControllers } from '@kubewright/cluster';
import type { Transport } from '@kubewright/kube';

/** Changes how controllers call, each as its user: a variant that is broken on purpose. */
export type Tamper = (transport: Transport, user?: UserInfo) => Transport;

/** The built-in controllers, which call as `tamper` lets them. */
export function tamperedControllers(tamper: Tamper, options: ControllersOptions = {}): Component {
  return {
    name: 'controllers',
    async start({ connect, clock, random, signal }) {
      const tampered = (user: UserInfo): Transport => tamper(connect(user), user);
      await startControllers({ ...options, connect: tampered, clock, random, signal }).ended;
    },
  };
}
