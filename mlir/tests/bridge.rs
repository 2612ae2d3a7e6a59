//! Modules through the bridge: text, bytecode, pipelines, and what is wrong.

use terrace_mlir::{Bridge, Form};

const PRODUCT: &str = "
func.func @product(%a: tensor<4x6xf32>, %b: tensor<6x5xf32>) -> tensor<4x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x5xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %r = linalg.matmul ins(%a, %b : tensor<4x6xf32>, tensor<6x5xf32>) outs(%i : tensor<4x5xf32>) -> tensor<4x5xf32> loc(\"product\")
  return %r : tensor<4x5xf32>
}
";

/// What a text becomes when it is brought down, and the pipelines that it took.
fn lowered(text: &str) -> (String, Vec<&'static str>) {
    let bridge = Bridge::new();
    let mut module = bridge.read_text(text).expect("a module");
    let taken = bridge.lower(&mut module).expect("passes for it");
    let text = bridge.write(&module, Form::Plain).expect("a right module");
    (String::from_utf8(text).expect("text"), taken)
}

#[test]
fn tensors_become_loops() {
    let (text, taken) = lowered(PRODUCT);
    assert!(
        text.contains("affine.for") && !text.contains("tensor<"),
        "{text}"
    );
    assert!(!text.contains("linalg"), "{text}");
    assert!(taken.iter().any(|p| p.contains("one-shot-bufferize")));
}

#[test]
fn loops_stay_as_they_are() {
    let text = "module {\n  func.func @f(%arg0: memref<?xf32>, %arg1: index) {\n    \
                %c0 = arith.constant 0 : index\n    affine.for %arg2 = 0 to %arg1 {\n      \
                %0 = affine.load %arg0[%arg2] : memref<?xf32>\n      \
                affine.store %0, %arg0[%arg2] : memref<?xf32>\n    }\n    return\n  }\n}\n";
    let (same, taken) = lowered(text);
    assert_eq!(same, text);
    assert_eq!(taken, [] as [&str; 0]);
}

#[test]
fn tosa_shape_and_complex_become_what_is_here() {
    let (text, _) = lowered(
        "func.func @f(%a: tensor<4x6xf32>, %b: tensor<4x6xf32>) -> tensor<4x6xf32> {
          %0 = tosa.add %a, %b : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
          %1 = tosa.tanh %0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
          return %1 : tensor<4x6xf32>
        }",
    );
    assert!(
        text.contains("math.tanh") && !text.contains("tosa"),
        "{text}"
    );
    let (text, _) = lowered(
        "func.func @g(%a: f32, %b: f32) -> f32 {
          %0 = complex.create %a, %b : complex<f32>
          %1 = complex.mul %0, %0 : complex<f32>
          %2 = complex.re %1 : complex<f32>
          return %2 : f32
        }",
    );
    assert!(
        text.contains("arith.mulf") && !text.contains("complex.mul"),
        "{text}"
    );
    let (text, _) = lowered(
        "func.func @h(%a: tensor<?x3xf32>) -> index {
          %0 = shape.shape_of %a : tensor<?x3xf32> -> tensor<2xindex>
          %1 = shape.num_elements %0 : tensor<2xindex> -> index
          return %1 : index
        }",
    );
    assert!(
        !text.contains("shape.") && text.contains("memref.dim"),
        "{text}"
    );
}

#[test]
fn softmax_is_taken_apart_and_nothing_of_that_stays() {
    let (text, _) = lowered(
        "func.func @softmax(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
          %space = tensor.empty() : tensor<4x16xf32>
          %r = linalg.softmax dimension(1) ins(%x : tensor<4x16xf32>) outs(%space : tensor<4x16xf32>) -> tensor<4x16xf32>
          return %r : tensor<4x16xf32>
        }",
    );
    assert!(text.contains("math.exp"), "{text}");
    assert!(!text.contains("transform"), "{text}");
}

#[test]
fn loops_that_yield_new_tensors_become_loops_on_memory() {
    let (text, _) = lowered(
        "func.func @f(%a: tensor<f32>) -> tensor<f32> {
          %r = scf.while (%x = %a) : (tensor<f32>) -> tensor<f32> {
            %v = tensor.extract %x[] : tensor<f32>
            %l = arith.constant 10.0 : f32
            %c = arith.cmpf olt, %v, %l : f32
            scf.condition(%c) %x : tensor<f32>
          } do {
          ^bb0(%y: tensor<f32>):
            %v = tensor.extract %y[] : tensor<f32>
            %w = arith.addf %v, %v : f32
            %t = tensor.from_elements %w : tensor<f32>
            scf.yield %t : tensor<f32>
          }
          return %r : tensor<f32>
        }",
    );
    assert!(
        text.contains("scf.while") && !text.contains("tensor<"),
        "{text}"
    );
}

#[test]
fn bytecode_comes_back_with_its_locations() {
    let bridge = Bridge::new();
    let module = bridge.read_text(PRODUCT).expect("a module");
    let text = bridge.write(&module, Form::WithLocations).expect("text");
    let bytes = bridge.write(&module, Form::Bytecode).expect("bytecode");
    assert!(bytes.starts_with(b"ML\xefR"));
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("product.mlirbc");
    std::fs::write(&path, &bytes).expect("the file can be written");
    let again = bridge
        .read_file(&path.display().to_string())
        .expect("a module");
    let again = bridge.write(&again, Form::WithLocations).expect("text");
    assert_eq!(
        String::from_utf8_lossy(&text),
        String::from_utf8_lossy(&again)
    );
    assert!(String::from_utf8_lossy(&text).contains("loc(\"product\")"));
}

#[test]
fn ops_of_other_dialects_stay() {
    let (text, taken) =
        lowered("func.func @f(%a: f32) {\n  \"xfer.keep\"(%a) {n = 3} : (f32) -> ()\n  return\n}");
    assert!(
        text.contains("\"xfer.keep\"(%arg0) {n = 3 : i64} : (f32) -> ()"),
        "{text}"
    );
    assert_eq!(taken, [] as [&str; 0]);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let bridge = Bridge::new();
    let said = bridge
        .read_text("func.func @f() { foo.bar }")
        .expect_err("no such op");
    let text = said.to_string();
    assert!(
        text.contains(":1:18: error: Dialect `foo' not found"),
        "{text}"
    );
    let said = bridge
        .read_text("func.func @f(%a: f32) -> f32 {\n  return\n}")
        .expect_err("no value");
    assert!(
        said.to_string()
            .contains(":2:3: error: 'func.return' op has 0 operands"),
        "{said}"
    );
    let said = bridge
        .read_file("/nowhere/at/all.mlir")
        .expect_err("no such file");
    assert!(said.to_string().contains("/nowhere/at/all.mlir"), "{said}");
    assert!(bridge.read_text("module {}\0").is_err());

    let mut module = bridge.read_text("module {}").expect("a module");
    let said = bridge
        .run(&mut module, "builtin.module(no-such-pass)")
        .expect_err("no pass");
    assert!(
        said.to_string()
            .contains("'no-such-pass' does not refer to a registered pass"),
        "{said}"
    );
    let mut module = bridge
        .read_text("func.func @f(%a: tensor<4xf32>) -> f32 {\n  %0 = \"other.sum\"(%a) : (tensor<4xf32>) -> f32\n  return %0 : f32\n}")
        .expect("a module");
    let said = bridge
        .lower(&mut module)
        .expect_err("nobody knows what the op does");
    assert!(
        said.to_string().contains("error: op was not bufferized"),
        "{said}"
    );
}

#[test]
fn every_stage_is_a_pipeline() {
    let bridge = Bridge::new();
    for stage in terrace_mlir::down::STAGES {
        let mut module = bridge
            .read_text(
                "module attributes {transform.with_named_sequence} {
                  transform.named_sequence @__terrace_decompose(%r: !transform.any_op {transform.readonly}) {
                    transform.yield
                  }
                }",
            )
            .expect("a module");
        if let Err(said) = bridge.run(&mut module, stage.pipeline) {
            panic!("{}: {said}", stage.pipeline);
        }
    }
}
