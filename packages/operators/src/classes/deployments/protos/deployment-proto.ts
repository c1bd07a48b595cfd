/** `deployment.proto` of the original. */
export const deploymentProto = `
syntax = "proto3";
package oaas.deployment;

import "common.proto";
import "runtime.proto";
import "deployment_types.proto";

service DeploymentService {
  rpc Deploy(DeployRequest) returns (DeployResponse);
  rpc GetDeploymentStatus(GetDeploymentStatusRequest) returns (GetDeploymentStatusResponse);
  rpc DeleteDeployment(DeleteDeploymentRequest) returns (DeleteDeploymentResponse);

  rpc ListClassRuntimes(ListClassRuntimesRequest) returns (ListClassRuntimesResponse);

  rpc GetClassRuntime(GetClassRuntimeRequest) returns (GetClassRuntimeResponse);
}

message DeployRequest { DeploymentUnit deployment_unit = 1; }

message DeployResponse {
  oaas.common.StatusCode status = 1;
  string deployment_id = 2;
  optional string message = 3;
  // Addition: the generation of the class after this call.
  optional int64 generation = 101;
}

message GetDeploymentStatusRequest {
  string deployment_id = 1;
}

message GetDeploymentStatusResponse {
  oaas.common.StatusCode status = 1;
  optional DeploymentUnit deployment = 2;
  optional string message = 3;

  repeated ResourceReference status_resource_refs = 4;
}

message DeleteDeploymentRequest {
  string deployment_id = 1;
}

message DeleteDeploymentResponse {
  oaas.common.StatusCode status = 1;
  optional string message = 2;
}

message ListClassRuntimesRequest {
  optional string package_name = 1;
  optional string class_key = 2;
  optional string target_env = 3;
  optional string status = 4;

  optional uint32 limit = 10;
  optional uint32 offset = 11;
}

message ListClassRuntimesResponse { repeated oaas.runtime.ClassRuntimeSummary items = 1; }

message GetClassRuntimeRequest {
  string deployment_id = 1;
}

message GetClassRuntimeResponse { optional oaas.runtime.ClassRuntimeSummary deployment = 1; }
`;
