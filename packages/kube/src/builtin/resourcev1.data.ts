// Made by tools/kinds/generate.ts from the catalogue. Do not edit.
import type { JsonObject } from '../json/json.ts';
import type { NamespacedMeta, ObjectMeta, ResourceRef } from '../object/kube-object.ts';
import type { NodeSelector } from './corev1.data.ts';
import type { Condition } from './metav1.data.ts';

export const deviceclasses: ResourceRef<DeviceClass> = {
  group: 'resource.k8s.io',
  version: 'v1',
  resource: 'deviceclasses',
  kind: 'DeviceClass',
  namespaced: false,
};
export const resourceclaims: ResourceRef<ResourceClaim> = {
  group: 'resource.k8s.io',
  version: 'v1',
  resource: 'resourceclaims',
  kind: 'ResourceClaim',
  namespaced: true,
};
export const resourceclaimtemplates: ResourceRef<ResourceClaimTemplate> = {
  group: 'resource.k8s.io',
  version: 'v1',
  resource: 'resourceclaimtemplates',
  kind: 'ResourceClaimTemplate',
  namespaced: true,
};
export const resourceslices: ResourceRef<ResourceSlice> = {
  group: 'resource.k8s.io',
  version: 'v1',
  resource: 'resourceslices',
  kind: 'ResourceSlice',
  namespaced: false,
};

export type AllocatedDeviceStatus = {
  readonly conditions?: readonly Condition[];
  readonly data?: JsonObject;
  readonly device: string;
  readonly driver: string;
  readonly networkData?: NetworkDeviceData;
  readonly pool: string;
  readonly shareID?: string;
};

export type AllocationResult = {
  readonly allocationTimestamp?: string;
  readonly devices?: DeviceAllocationResult;
  readonly nodeSelector?: NodeSelector;
};

export type CELDeviceSelector = {
  readonly expression: string;
};

export type CapacityRequestPolicy = {
  readonly default?: string;
  readonly validRange?: CapacityRequestPolicyRange;
  readonly validValues?: readonly string[];
};

export type CapacityRequestPolicyRange = {
  readonly max?: string;
  readonly min: string;
  readonly step?: string;
};

export type CapacityRequirements = {
  readonly requests?: { readonly [key: string]: string };
};

export type Counter = {
  readonly value: string;
};

export type CounterSet = {
  readonly counters: { readonly [key: string]: Counter };
  readonly name: string;
};

export type Device = {
  readonly allNodes?: boolean;
  readonly allowMultipleAllocations?: boolean;
  readonly attributes?: { readonly [key: string]: DeviceAttribute };
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
  readonly bindsToNode?: boolean;
  readonly capacity?: { readonly [key: string]: DeviceCapacity };
  readonly consumesCounters?: readonly DeviceCounterConsumption[];
  readonly name: string;
  readonly nodeAllocatableResourceMappings?: { readonly [key: string]: NodeAllocatableResourceMapping };
  readonly nodeName?: string;
  readonly nodeSelector?: NodeSelector;
  readonly taints?: readonly DeviceTaint[];
};

export type DeviceAllocationConfiguration = {
  readonly opaque?: OpaqueDeviceConfiguration;
  readonly requests?: readonly string[];
  readonly source: 'FromClaim' | 'FromClass';
};

export type DeviceAllocationResult = {
  readonly config?: readonly DeviceAllocationConfiguration[];
  readonly results?: readonly DeviceRequestAllocationResult[];
};

export type DeviceAttribute = {
  readonly bool?: boolean;
  readonly bools?: readonly boolean[];
  readonly int?: number;
  readonly ints?: readonly number[];
  readonly string?: string;
  readonly strings?: readonly string[];
  readonly version?: string;
  readonly versions?: readonly string[];
};

export type DeviceCapacity = {
  readonly requestPolicy?: CapacityRequestPolicy;
  readonly value: string;
};

export type DeviceClaim = {
  readonly config?: readonly DeviceClaimConfiguration[];
  readonly constraints?: readonly DeviceConstraint[];
  readonly requests?: readonly DeviceRequest[];
};

export type DeviceClaimConfiguration = {
  readonly opaque?: OpaqueDeviceConfiguration;
  readonly requests?: readonly string[];
};

export type DeviceClass = {
  readonly apiVersion: 'resource.k8s.io/v1';
  readonly kind: 'DeviceClass';
  readonly metadata: ObjectMeta;
  readonly spec: DeviceClassSpec;
};

export type DeviceClassConfiguration = {
  readonly opaque?: OpaqueDeviceConfiguration;
};

export type DeviceClassSpec = {
  readonly config?: readonly DeviceClassConfiguration[];
  readonly extendedResourceName?: string;
  readonly selectors?: readonly DeviceSelector[];
};

export type DeviceConstraint = {
  readonly distinctAttribute?: string;
  readonly matchAttribute?: string;
  readonly requests?: readonly string[];
};

export type DeviceCounterConsumption = {
  readonly counterSet: string;
  readonly counters: { readonly [key: string]: Counter };
};

export type DeviceRequest = {
  readonly exactly?: ExactDeviceRequest;
  readonly firstAvailable?: readonly DeviceSubRequest[];
  readonly name: string;
};

export type DeviceRequestAllocationResult = {
  readonly adminAccess?: boolean;
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
  readonly consumedCapacity?: { readonly [key: string]: string };
  readonly device: string;
  readonly driver: string;
  readonly pool: string;
  readonly request: string;
  readonly shareID?: string;
  readonly tolerations?: readonly DeviceToleration[];
};

export type DeviceSelector = {
  readonly cel?: CELDeviceSelector;
};

export type DeviceSubRequest = {
  readonly allocationMode?: 'All' | 'ExactCount';
  readonly capacity?: CapacityRequirements;
  readonly count?: number;
  readonly deviceClassName: string;
  readonly name: string;
  readonly selectors?: readonly DeviceSelector[];
  readonly tolerations?: readonly DeviceToleration[];
};

export type DeviceTaint = {
  readonly effect: 'NoExecute' | 'NoSchedule' | 'None';
  readonly key: string;
  readonly timeAdded?: string;
  readonly value?: string;
};

export type DeviceToleration = {
  readonly effect?: 'NoExecute' | 'NoSchedule' | 'None';
  readonly key?: string;
  readonly operator?: 'Equal' | 'Exists';
  readonly tolerationSeconds?: number;
  readonly value?: string;
};

export type ExactDeviceRequest = {
  readonly adminAccess?: boolean;
  readonly allocationMode?: 'All' | 'ExactCount';
  readonly capacity?: CapacityRequirements;
  readonly count?: number;
  readonly deviceClassName: string;
  readonly selectors?: readonly DeviceSelector[];
  readonly tolerations?: readonly DeviceToleration[];
};

export type NetworkDeviceData = {
  readonly hardwareAddress?: string;
  readonly interfaceName?: string;
  readonly ips?: readonly string[];
};

export type NodeAllocatableResourceMapping = {
  readonly allocationMultiplier?: string;
  readonly capacityKey?: string;
};

export type OpaqueDeviceConfiguration = {
  readonly driver: string;
  readonly parameters: JsonObject;
};

export type ResourceClaim = {
  readonly apiVersion: 'resource.k8s.io/v1';
  readonly kind: 'ResourceClaim';
  readonly metadata: NamespacedMeta;
  readonly spec: ResourceClaimSpec;
  readonly status?: ResourceClaimStatus;
};

export type ResourceClaimConsumerReference = {
  readonly apiGroup?: string;
  readonly name: string;
  readonly resource: string;
  readonly uid: string;
};

export type ResourceClaimSpec = {
  readonly devices?: DeviceClaim;
};

export type ResourceClaimStatus = {
  readonly allocation?: AllocationResult;
  readonly devices?: readonly AllocatedDeviceStatus[];
  readonly reservedFor?: readonly ResourceClaimConsumerReference[];
};

export type ResourceClaimTemplate = {
  readonly apiVersion: 'resource.k8s.io/v1';
  readonly kind: 'ResourceClaimTemplate';
  readonly metadata: NamespacedMeta;
  readonly spec: ResourceClaimTemplateSpec;
};

export type ResourceClaimTemplateSpec = {
  readonly metadata?: ObjectMeta;
  readonly spec: ResourceClaimSpec;
};

export type ResourcePool = {
  readonly generation: number;
  readonly name: string;
  readonly resourceSliceCount: number;
};

export type ResourceSlice = {
  readonly apiVersion: 'resource.k8s.io/v1';
  readonly kind: 'ResourceSlice';
  readonly metadata: ObjectMeta;
  readonly spec: ResourceSliceSpec;
};

export type ResourceSliceSpec = {
  readonly allNodes?: boolean;
  readonly devices?: readonly Device[];
  readonly driver: string;
  readonly nodeName?: string;
  readonly nodeSelector?: NodeSelector;
  readonly perDeviceNodeSelection?: boolean;
  readonly pool: ResourcePool;
  readonly sharedCounters?: readonly CounterSet[];
};
