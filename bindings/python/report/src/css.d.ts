// SPDX-License-Identifier: Apache-2.0
// Styles: bundled into a separate file for the report, into a text for the widget.
declare module "*.css" {
  const text: string;
  export default text;
}
