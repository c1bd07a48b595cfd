/** Those messages of `runtime.proto` of the original that summaries of classes are made of. */
export const runtimeProto = `
syntax = "proto3";
package oaas.runtime;

import "common.proto";
import "deployment_types.proto";

enum DeploymentCondition {
  DEPLOYMENT_CONDITION_UNKNOWN = 0;
  PENDING = 1;
  DEPLOYING = 2;
  RUNNING = 3;
  DOWN = 4;
  DELETED = 5;
}

enum DeploymentPhase {
  DEPLOYMENT_PHASE_UNKNOWN = 0;
  RESOURCE_PROVISIONING = 1;
  PHASE_RUNNING = 2;
  FAILED = 3;
}

message ClassRuntimeStatus {
  DeploymentCondition condition = 1;
  DeploymentPhase phase = 2;
  optional string message = 3;
  string last_updated = 4;

  repeated FunctionStatus functions = 5;
}

message FunctionStatus {
  string function_key = 1;
  string service = 2;
  uint32 port = 3;
  string predicted_url = 4;
  optional string observed_url = 5;
  string template = 6;
  optional bool ready = 7;
  optional string reason = 8;
  optional string message = 9;
  optional string last_transition_time = 10;
}

message NfrCompliance {
  string overall_status = 1;
  optional string throughput_status = 2;
  optional string latency_status = 3;
  optional string availability_status = 4;
  string last_checked = 5;
}

message ClassRuntimeSummary {
  string id = 1;
  string deployment_unit_id = 2;
  string package_name = 3;
  string class_key = 4;
  string target_environment = 5;
  optional string cluster_name = 6;
  ClassRuntimeStatus status = 7;
  optional NfrCompliance nfr_compliance = 8;
  repeated oaas.deployment.ResourceReference resource_refs = 9;
  string created_at = 10;
  string updated_at = 11;

  uint32 partition_count = 12;
}
`;
