-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Prints all rows of the tables of tpcc in the order of their keys, without timestamps, so that the
-- text is the same for the same data in every database.

local TABLES = {
   {"tpcc_item", "i_id, i_im_id, i_name, i_price, i_data"},
   {"tpcc_warehouse", "w_id, w_name, w_street_1, w_zip, w_tax, w_ytd"},
   {"tpcc_district", "d_w_id, d_id, d_name, d_city, d_tax, d_ytd, d_next_o_id"},
   {"tpcc_customer", "c_w_id, c_d_id, c_id, c_first, c_last, c_phone, c_credit, c_discount, " ..
    "c_balance, c_ytd_payment, c_payment_cnt, c_delivery_cnt, c_data"},
   {"tpcc_history", "h_c_w_id, h_c_d_id, h_c_id, h_w_id, h_d_id, h_amount, h_data"},
   {"tpcc_orders", "o_w_id, o_d_id, o_id, o_c_id, o_carrier_id, o_ol_cnt, o_all_local"},
   {"tpcc_new_order", "no_w_id, no_d_id, no_o_id"},
   {"tpcc_stock", "s_w_id, s_i_id, s_quantity, s_dist_01, s_dist_10, s_ytd, s_order_cnt, " ..
    "s_remote_cnt, s_data"},
   {"tpcc_order_line", "ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, " ..
    "CASE WHEN ol_delivery_d IS NULL THEN 'no' ELSE 'yes' END, ol_quantity, ol_amount, " ..
    "ol_dist_info"},
   {"tpcc_info", "name, value"},
}

local function text_of(value)
   local number = value and value:find("^%-?[0-9.]+$") and #value < 15 and tonumber(value)
   return number and ("%.4f"):format(number) or tostring(value)
end

function show()
   local con = sysbench.sql.driver():connect()
   for _, t in ipairs(TABLES) do
      local result = con:query(("SELECT %s FROM %s"):format(t[2], t[1]))
      local lines, row = {}, result:fetch_row()
      while row do
         for i = 1, result.nfields do
            row[i] = text_of(row[i])
         end
         lines[#lines + 1] = table.concat(row, " ", 1, result.nfields)
         row = result:fetch_row()
      end
      table.sort(lines)
      print(("%s: %d rows\n%s"):format(t[1], #lines, table.concat(lines, "\n")))
   end
end
