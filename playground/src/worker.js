// Python in a worker: a program that takes long to check does not hold up the page, which can end the worker and start another.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const started = (async () => {
  const python = await loadPyodide({ indexURL: "./pyodide/" });
  const packages = await (await fetch("./packages.zip")).arrayBuffer();
  const folder = python.runPython("import sysconfig; sysconfig.get_path('purelib')");
  python.unpackArchive(packages, "zip", { extractDir: folder });
  return python.pyimport("answers");
})();

started.then(
  () => postMessage({ ready: true }),
  (error) => postMessage({ failed: String(error) }),
);

onmessage = async ({ data: { id, name, given } }) => {
  try {
    const answers = await started;
    postMessage({ id, answer: JSON.parse(answers[name](...given)) });
  } catch (error) {
    const reason = error instanceof RangeError ? "it nests too deeply for a browser. The command duetpy check has no such limit" : String(error);
    // After anything but an exception of Python, such as a stack that is full, the interpreter cannot be used any more.
    postMessage({ id, error: reason, isOver: error.name !== "PythonError" });
  }
};
