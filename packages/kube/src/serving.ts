// What every listener of Kubewright shares, so that no peer ends its process. Types of node's servers are structural: no I/O is done here.
export {
  type BodyLimits,
  BodyGate,
  type BodyOrder,
  type BodyStream,
  type RejectedBody,
} from './serving/body-gate.ts';
export { detach } from './serving/detach.ts';
export { listen } from './serving/listen.ts';
export { requestListener } from './serving/request-listener.ts';
export { PeerShares } from './serving/peer-shares.ts';
