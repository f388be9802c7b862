// SPDX-License-Identifier: Apache-2.0
// Styles: bundled into a file of their own for the report, a text for the widget.
declare module "*.css" {
  const text: string;
  export default text;
}
