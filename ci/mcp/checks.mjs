// Adds up the checks of a results folder of the conformance suite: prints "passed failed". Scenarios
// of extensions that this server does not offer are named after it and do not count.
import fs from "node:fs";
import path from "node:path";

const [folder, ...uncounted] = process.argv.slice(2);
let passed = 0;
let failed = 0;
for (const scenario of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
  if (uncounted.some((prefix) => scenario.startsWith(`server-${prefix}`))) continue;
  for (const check of JSON.parse(fs.readFileSync(path.join(folder, scenario, "checks.json")))) {
    if (check.status === "SUCCESS") passed += 1;
    if (check.status === "FAILURE") {
      failed += 1;
      console.error(`${scenario}: ${check.name}: ${check.errorMessage}`);
    }
  }
}
console.log(passed, failed);
